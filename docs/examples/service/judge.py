# The same in Python: pip install nats-py nkeys
#
#   NATS_USER=judge-strict NATS_NKEY=nkeys/judge-strict.nk python judge.py
import asyncio
import base64
import json
import os
import re
import signal

import nats
import nats.micro
import nkeys
from nacl.public import Box, PrivateKey, PublicKey

URL, USER = os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), os.environ.get("NATS_USER", "judge-strict")
KEY = os.environ.get("NATS_NKEY", f"nkeys/{USER}.nk")
MODEL = "example-words 1.0.0"


def judge(question):
    """Pass a bundle if one of its lines has every longer word of what is asked for.

    A question is about a criterion or about an item of the assignment. Put your
    model or grader here. The bundle is somebody's work, who may want to talk its
    judge round.
    """
    asked = question["item"]["text"] if question.get("item") else question["criterion"]["expected"]
    wanted = [word for word in re.split(r"[ .,:;()]+", asked.lower()) if len(word) > 3]
    for line in question["bundle"]["content"].splitlines():
        if all(word in line.lower() for word in wanted):
            # A pass is counted only if its quote stands in the bundle.
            return {"outcome": "passed", "quote": line.strip(), "model": MODEL}
    return {"outcome": "failed", "actual": "no line says it in these words", "model": MODEL}


def seal(reply, to):
    """Make a reply that only shadowd can read, with a key made for it: an nkeys box."""
    own = PrivateKey.generate()
    theirs = base64.b32decode(to + "=" * (-len(to) % 8))[1:33]
    box = b"xkv1" + bytes(Box(own, PublicKey(theirs)).encrypt(json.dumps(reply).encode()))
    public = bytes([23 << 3]) + bytes(own.public_key)
    public += nkeys.crc16(public).to_bytes(2, "little")
    return {"sealed_by": base64.b32encode(public).decode().rstrip("="), "box": base64.b64encode(box).decode()}


async def answer(request):
    question = json.loads(request.data)
    if question["version"] != 1:
        await request.respond_error("400", "this judge knows version 1 of the request")
        return
    reply = judge(question)
    if question.get("reply_key"):
        reply = seal(reply, question["reply_key"])
    await request.respond(json.dumps(reply).encode())


async def main():
    nc = await nats.connect(
        URL, nkeys_seed=KEY, inbox_prefix=f"_INBOX_{USER}".encode(), max_reconnect_attempts=-1
    )
    service = await nats.micro.add_service(
        nc, name=USER, version="1.0.0", description="example of a judge", metadata={"model": MODEL}
    )
    await service.add_endpoint(name="default", subject=f"shadow.judge.{USER.removeprefix('judge-')}", handler=answer)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await service.stop()
    await nc.close()


asyncio.run(main())
