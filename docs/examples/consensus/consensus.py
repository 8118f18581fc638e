# The same in Python: pip install nats-py nkeys cloudevents
#
#   NATS_NKEYS=nkeys python consensus.py
import asyncio
import os
import signal

import nats
from cloudevents.core.bindings.http import HTTPMessage, from_http_event

URL, KEYS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), os.environ.get("NATS_NKEYS")
USER = os.environ.get("NATS_USER", "consensus-main") if KEYS else "anonymous"  # without keys: development mode


async def main():
    # Each user may listen on an inbox of its own only.
    login = {"nkeys_seed": f"{KEYS}/{USER}.nk", "inbox_prefix": f"_INBOX_{USER}".encode()} if KEYS else {}
    nc = await nats.connect(URL, **login)
    # The consumer is there already: shadowd makes one for each reader.
    consumer = await nc.jetstream(prefix="SHADOW.API").pull_subscribe_bind(durable=USER, stream="OUT")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    while not stop.is_set():
        try:
            messages = await consumer.fetch(batch=100, timeout=1)
        except asyncio.TimeoutError:  # nothing came; that of nats-py is one too
            continue
        for message in messages:
            if not message.subject.startswith(("swarm.gap-report.", "swarm.run-reviewed.")):
                await message.ack()
                continue
            # The mode, structured or binary, stands in the headers, which are those of HTTP.
            data = from_http_event(HTTPMessage(message.headers, message.data)).get_data()
            if "review" in data:  # takes the place of what was decided before
                print(f"{data['run_id']}/{data['domain']}: {data['after']['gate']}, reviewed by {data['review']['by']}", flush=True)
            else:
                report, swarm = data["report"], data["swarm"]
                what = "a fix is awaited"
                if swarm["final"]:
                    what = f"{swarm['gate']['action']} ({report['shadow_score']} %, {swarm['verdict']})"
                print(f"{swarm['run_id']}/{swarm['domain']}: {what}{' – advisory' if report.get('advisory') else ''}", flush=True)
            await message.ack()
    await nc.close()


asyncio.run(main())
