"""The client of the Python SDK, over one binding of a card: client.py URL BINDING

Reads the key from HARN_KEY and what to say from the lines of its input; prints what it saw of each as one line of JSON.
"""

import asyncio
import json
import os
import sys
import uuid

import grpc
from a2a.client import ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.helpers import get_artifact_text, get_message_text, new_text_part
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import A2AError


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return os.environ["HARN_KEY"]


def message(text: str, **more: str) -> SendMessageRequest:
    parts = [new_text_part(text)]
    return SendMessageRequest(
        message=Message(role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=parts, **more)
    )


async def heard(stream) -> dict:
    """The states and the words of a stream, in their order."""
    seen = {"id": "", "states": [], "said": "", "asked": ""}
    async for answer in stream:
        kind = answer.WhichOneof("payload")
        payload = getattr(answer, kind)
        if kind == "task":
            seen["id"] = payload.id
            seen["said"] += "".join(get_artifact_text(artifact) for artifact in payload.artifacts)
        if kind in ("task", "status_update"):
            seen["states"].append(TaskState.Name(payload.status.state))
            if payload.status.HasField("message"):
                seen["asked"] = get_message_text(payload.status.message)
        if kind == "message":
            seen["said"] += get_message_text(payload)
        if kind == "artifact_update":
            seen["said"] += get_artifact_text(payload.artifact)
    return seen


async def tell(client, said: str) -> dict:
    if said == "unknown":
        try:
            await client.get_task(GetTaskRequest(id="task_01ARZ3NDEKTSV4RRFFQ69G5FAV"))
        except A2AError as error:
            return {"error": type(error).__name__}
        return {"error": ""}
    first = await heard(client.send_message(message(said)))
    task_id = first["id"]
    if said == "ask":
        first["answered"] = await heard(client.send_message(message("blue", task_id=task_id)))
    if said == "ask and cancel":
        canceled = await client.cancel_task(CancelTaskRequest(id=task_id))
        first["canceled"] = TaskState.Name(canceled.status.state)
    task = await client.get_task(GetTaskRequest(id=task_id))
    first["state"] = TaskState.Name(task.status.state)
    listed = await client.list_tasks(ListTasksRequest(page_size=100))
    first["listed"] = task_id in [one.id for one in listed.tasks]
    try:
        first["again"] = (await heard(client.subscribe(SubscribeToTaskRequest(id=task_id))))["states"]
    except A2AError as error:
        first["again"] = type(error).__name__
    return first


async def main(url: str, binding: str) -> None:
    config = ClientConfig(
        supported_protocol_bindings=[binding], grpc_channel_factory=grpc.aio.insecure_channel
    )
    client = await ClientFactory(config).create_from_url(url, interceptors=[AuthInterceptor(Key())])
    async with client:
        for line in sys.stdin:
            print(json.dumps(await tell(client, line.strip())), flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2]))
