"""The clients of a2a-sdk (Python) on one binding each; what they saw of the sample agent, as one line of JSON.

Arguments: binding, URL of the interface, key.
"""

import asyncio
import json
import sys

import grpc
import httpx
from a2a.client.client import ClientCallContext
from a2a.client.transports.grpc import GrpcTransport
from a2a.client.transports.jsonrpc import JsonRpcTransport
from a2a.client.transports.rest import RestTransport
from a2a.compat.v0_3.grpc_transport import CompatGrpcTransport
from a2a.compat.v0_3.rest_transport import CompatRestTransport
from a2a.types import CancelTaskRequest, GetTaskRequest, Message, Part, Role, SendMessageRequest, TaskState

HTTP = {"jsonrpc-1.0": JsonRpcTransport, "http+json-1.0": RestTransport, "http+json-0.3": CompatRestTransport}


def request(text, task_id=""):
    part = Part(text=text)
    message = Message(message_id=f"py-{text}", role=Role.ROLE_USER, parts=[part], task_id=task_id)
    return SendMessageRequest(message=message)


def state(status):
    return TaskState.Name(status.state)


async def main(binding, url, key):
    headers = {"authorization": f"Bearer {key}"}
    context = ClientCallContext(service_parameters=headers)
    if binding in HTTP:
        # What is above its transports says the version.
        version = {"A2A-Version": "1.0"} if binding.endswith("1.0") else {}
        http = httpx.AsyncClient(headers={**headers, **version}, timeout=30)
        client = HTTP[binding](http, None, url)
    else:
        made = GrpcTransport if binding == "grpc-1.0" else CompatGrpcTransport
        client = made(grpc.aio.insecure_channel(url), None)
    streamed = []
    async for event in client.send_message_streaming(request("stream 3"), context=context):
        kind = event.WhichOneof("payload")
        if kind == "artifact_update":
            kind = f"chunk {event.artifact_update.artifact.parts[0].text.strip()}"
        if kind == "status_update":
            kind = state(event.status_update.status)
        streamed.append(kind)
    answer = await client.send_message(request("ask"), context=context)
    task_id = answer.task.id
    for _ in range(100):
        asked = await client.get_task(GetTaskRequest(id=task_id), context=context)
        if state(asked.status) == "TASK_STATE_INPUT_REQUIRED":
            break
        await asyncio.sleep(0.05)
    canceled = await client.cancel_task(CancelTaskRequest(id=task_id), context=context)
    try:
        await client.get_task(GetTaskRequest(id="task_none"), context=context)
        refused = "nothing"
    except Exception as error:  # noqa: BLE001
        refused = type(error).__name__
    print(json.dumps({"streamed": streamed, "asked": state(asked.status), "canceled": state(canceled.status), "refused": refused}))


asyncio.run(main(*sys.argv[1:]))
