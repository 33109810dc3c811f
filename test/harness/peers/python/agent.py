"""An agent as users of the Python SDK write them, behind one binding that its card offers: agent.py BINDING VERSION

BINDING is GRPC, HTTP+JSON or JSONRPC, VERSION 1.0 or 0.3. Prints the URL of its card as the first line, and serves until it is killed.
"""

import asyncio
import socket
import sys

import grpc
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.routes.rest_routes import create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2_grpc
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Painter(AgentExecutor):
    """Says what was said, in two pieces; asks for a colour, fails or waits when it is told to."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        said = context.get_user_input()
        await updater.start_work()
        if said == "ask":
            await updater.requires_input(updater.new_agent_message([new_text_part("Which colour?")]))
            return
        if said == "fail":
            await updater.failed(updater.new_agent_message([new_text_part("The brush broke.")]))
            return
        if said == "wait":
            await asyncio.sleep(3600)
        for piece, text in enumerate(["You said: ", said]):
            await updater.add_artifact(
                [new_text_part(text)], artifact_id="picture", append=piece > 0, last_chunk=piece == 1
            )
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main(binding: str, version: str) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    is_old = version == "0.3"
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    urls = {"GRPC": f"127.0.0.1:{port}", "HTTP+JSON": base, "JSONRPC": f"{base}/rpc"}
    card = AgentCard(
        name="Painter",
        description="Paints what it is told.",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=urls[binding], protocol_binding=binding, protocol_version=version)
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="paint", name="Paint", description="Paints.", tags=["art"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=Painter(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = create_agent_card_routes(card)
    if binding == "GRPC":
        if is_old:
            a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), server)
        else:
            a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), server)
        await server.start()
    elif binding == "HTTP+JSON":
        routes += create_rest_routes(handler, enable_v0_3_compat=is_old)
    else:
        routes += create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=is_old)
    print(f"{base}/.well-known/agent-card.json", flush=True)
    config = uvicorn.Config(Starlette(routes=routes), log_level="warning")
    await uvicorn.Server(config).serve([listening])


asyncio.run(main(sys.argv[1], sys.argv[2]))
