# The same in Python: pip install nats-py nkeys "cloudevents>=2"
#
#   NATS_NKEYS=nkeys python commander.py
import asyncio
import os
import sys
import time

import nats
from cloudevents.core.bindings.http import HTTPMessage, from_http_event, to_binary_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent

RUN = f"example-{time.time_ns() // 1_000_000}"  # a new one each time: its outcome is stored once and for all
COMMANDER = "cmd-impl"
# What the work says. The fix adds the last two.
LIMITER = "Each API key has a token bucket in Redis; the limiter is a Lua script."
REFUSAL = "A caller whose bucket is empty gets status 429, and Retry-After says when the next token comes."
LOAD = "`load_test.lua` holds 500 requests per second for ten minutes; p99 stayed at 9 ms."
RUNBOOK = "If Redis is out: let all requests through, page the team, and warm the buckets up before you switch the limiter on again."


async def connect(user):
    """Log in as a user. With users, the Nexus and each commander are different ones."""
    url, keys = os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), os.environ.get("NATS_NKEYS")
    if not keys:
        return await nats.connect(url)  # development mode
    # Each user may listen on an inbox of its own only.
    return await nats.connect(url, nkeys_seed=f"{keys}/{user}.nk", inbox_prefix=f"_INBOX_{user}".encode())


async def publish(nc, subject, name, data, write=to_structured_event):
    """Send one CloudEvent and wait until the stream has it. Both modes are taken."""
    event = CloudEvent(
        {"id": subject, "source": "/example", "type": f"dev.swarmspeed.{name}.v1", "datacontenttype": "application/json"}, data
    )
    message = write(event)  # headers and body are those of HTTP; the SDK makes a time where there is none
    await nc.jetstream().publish(subject, message.body, headers=message.headers)


def data(message):
    return from_http_event(HTTPMessage(message.headers, message.data)).get_data()


async def hear(sub):
    """Wait for the next event and return its data."""
    message = await sub.next_msg(timeout=60)
    print("heard", message.subject, flush=True)
    return data(message)


async def refused(message):
    """End: what was published is not taken, and nothing else will come."""
    why = data(message)
    print(f"{message.subject}: {why['reason']}: {why['message']}", file=sys.stderr)
    os._exit(1)  # sys.exit would end only what calls this


async def main():
    nexus, worker = await connect("nexus"), await connect(f"commander-{COMMANDER}")
    # Live copies are enough here. What must not be missed is read with the
    # durable consumer that shadowd makes for each user, as in ../consensus.
    sealed = await nexus.subscribe(f"swarm.envelope-sealed.{RUN}")
    scored = await nexus.subscribe(f"swarm.run-scored.{RUN}")
    asked = await worker.subscribe(f"swarm.hardening-request.{COMMANDER}.{RUN}.*.*")
    await nexus.subscribe("swarm.event-rejected.nexus.*", cb=refused)
    await worker.subscribe(f"swarm.event-rejected.{COMMANDER}.*", cb=refused)
    await asyncio.gather(nexus.flush(), worker.flush())  # the server has them once it has answered these
    assignment = {
        "domain": "implementation",
        "commander_id": COMMANDER,
        "sub_tasks": [
            "Implement a token bucket limiter per API key in Redis",
            "Return HTTP 429 with a Retry-After header when the bucket is empty",
            "Write load tests for 500 requests per second",
            "Write a runbook for an outage of Redis",
        ],
    }
    task = {"run_id": RUN, "task": "Add rate limiting to the public API", "domains": [assignment]}
    await publish(nexus, f"swarm.decomposition-done.{RUN}", "decomposition-done", task)
    # The Nexus waits for the commitment before its commanders start: the report
    # of a bundle that is there before it is advisory.
    await hear(sealed)
    bundle = {
        "bundle_id": "bnd-1",
        "domain": "implementation",
        "commander_id": COMMANDER,
        "status": "partial",
        "content": "\n\n".join(["# Rate limiting", LIMITER, REFUSAL]),
        # The commander's own account of its items. It may be left out.
        "delivery": [
            {"item": "sub-task 1", "quote": LIMITER},
            {"item": "sub-task 2", "quote": REFUSAL},
            {"item": "sub-task 3", "undone": "the load generator is not available before Monday"},
            {"item": "sub-task 4", "undone": "it needs the results of the load tests"},
        ],
    }
    await publish(worker, f"swarm.bundle-complete.{RUN}.{COMMANDER}", "bundle-complete", {"run_id": RUN, **bundle})
    request = await hear(asked)
    print(request["text"])
    bundle["content"] = "\n\n".join([bundle["content"], LOAD, RUNBOOK])
    bundle["delivery"][2:] = [{"item": "sub-task 3", "quote": LOAD}, {"item": "sub-task 4", "quote": RUNBOOK}]
    fix = {
        "run_id": RUN,
        "bundle_id": "bnd-1",
        "domain": "implementation",
        "commander_id": COMMANDER,
        "cycle": request["cycle"],
        "bundle": {**bundle, "status": "success"},
    }
    await publish(worker, f"swarm.fix-submitted.{RUN}.{COMMANDER}", "fix-submitted", fix, to_binary_event)
    await hear(scored)
    await asyncio.gather(nexus.drain(), worker.drain())


asyncio.run(main())
