"""A small swarm on LangGraph, checked by shadowd.

A supervisor splits a task into domains, three workers fill them at the same
time, and the gate at the end says what to do with each. Nobody calls shadowd:
the supervisor publishes as the Nexus, each worker as its commander.

    pip install langgraph nats-py nkeys cloudevents
    shadowd run                       # in another terminal
    python swarm.py

Without SWARM_MODEL the model is canned text, so that it runs anywhere. With it,
each call goes to an OpenAI-compatible API (OPENAI_BASE_URL, OPENAI_API_KEY):

    SWARM_MODEL=gpt-5-mini python swarm.py
"""

import asyncio
import json
import os
import time
import urllib.request
from pathlib import Path
from typing import TypedDict

import nats
from cloudevents.core.bindings.http import HTTPMessage, from_http_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

URL, KEYS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), os.environ.get("NATS_NKEYS")
TASK = "Give customers of the web shop a way to return what they bought"
CANNED = json.loads(Path(__file__).with_name("canned.json").read_text())


class Swarm(TypedDict):
    run: str
    domains: list[dict]
    request: dict  # what shadowd asks to be mended
    scored: dict  # the score of the run


class Work(TypedDict):
    run: str
    domain: dict


# --- the model ---------------------------------------------------------------


async def ask(key, prompt):
    """Ask the model, or take the canned answer of this name."""
    model = os.environ.get("SWARM_MODEL")
    return await asyncio.to_thread(complete, model, prompt) if model else CANNED.get(key, CANNED[key.split(",")[0]])


def complete(model, prompt):
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    request = urllib.request.Request(
        f"{base}/chat/completions",
        json.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    with urllib.request.urlopen(request, timeout=300) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


# --- the bus -----------------------------------------------------------------


class Bus:
    """A connection for each user, and one queue of what shadowd says to them."""

    def __init__(self):
        self.users = {}
        self.heard = asyncio.Queue()

    async def login(self, user, *subjects):
        """Connect as a user and listen to subjects."""
        # In development mode, without keys, everybody is anonymous.
        keys = {"nkeys_seed": f"{KEYS}/{user}.nk", "inbox_prefix": f"_INBOX_{user}".encode()} if KEYS else {}
        nc = self.users[user] = await nats.connect(URL, **keys)
        for subject in subjects:
            await nc.subscribe(subject, cb=self.heard.put)
        await nc.flush()  # the server has them once it has answered this

    async def publish(self, user, subject, data):
        name = subject.split(".")[1]
        attributes = {"id": subject, "source": "/swarm", "type": f"dev.swarmspeed.{name}.v1", "datacontenttype": "application/json"}
        event = to_structured_event(CloudEvent(attributes, data))
        await self.users[user].jetstream().publish(subject, event.body, headers=event.headers)

    async def hear(self):
        """Wait for what shadowd says next: the event's name and its data."""
        message = await asyncio.wait_for(self.heard.get(), 120)
        event = from_http_event(HTTPMessage(message.headers, message.data))
        name, data = message.subject.split(".")[1], event.get_data()
        if name == "event-rejected":
            raise SystemExit(f"{data['subject']} was rejected: {data['message']}. {data['resubmit']}")
        return name, data

    async def close(self):
        await asyncio.gather(*(nc.close() for nc in self.users.values()))


# --- the graph ---------------------------------------------------------------


class Graph:
    def __init__(self, bus):
        self.bus = bus

    async def supervise(self, state):
        """Split the task, and wait until shadowd has sealed its criteria."""
        run = state["run"]
        prompt = f"Split this task into three domains, as JSON of the form {CANNED['plan']}\n{TASK}"
        domains = json.loads(await ask("plan", prompt))
        rejected = "swarm.event-rejected.nexus.*" if KEYS else "swarm.event-rejected.*.*"
        await self.bus.login("nexus", f"swarm.envelope-sealed.{run}", f"swarm.run-scored.{run}", rejected)
        for domain in domains:
            commander = domain["commander_id"]
            await self.bus.login(f"commander-{commander}", f"swarm.hardening-request.{commander}.{run}.*.*")
        task = {"run_id": run, "scale": "ss-100", "task": TASK, "domains": domains}
        await self.bus.publish("nexus", f"swarm.decomposition-done.{run}", task)
        await self.bus.hear()  # envelope-sealed: work that is handed in before it gets an advisory report
        return {"domains": domains}

    def hand_out(self, state):
        return [Send("work", {"run": state["run"], "domain": domain}) for domain in state["domains"]]

    async def work(self, state):
        """Do one domain and hand it in."""
        run, domain = state["run"], state["domain"]
        bundle = bundle_of(domain, await ask(domain["domain"], f"Task: {TASK}\nWrite this part, in Markdown: {domain}"))
        commander = domain["commander_id"]
        await self.bus.publish(f"commander-{commander}", f"swarm.bundle-complete.{run}.{commander}", {"run_id": run, **bundle})

    async def listen(self, _):
        """Wait until shadowd asks for a fix or has scored the run."""
        name, data = await self.bus.hear()
        return {"scored": data} if name == "run-scored" else {"request": data}

    def next(self, state):
        return END if state["scored"] else "mend"

    async def mend(self, state):
        """Fix what shadowd found, once."""
        run, request = state["run"], state["request"]
        domain = next(d for d in state["domains"] if d["domain"] == request["domain"])
        print(f"{request['domain']} is told:\n{request['text']}")
        key = f"{request['domain']}, mended"
        bundle = bundle_of(domain, await ask(key, f"Task: {TASK}\nWrite this part anew, in Markdown: {domain}\n{request['text']}"))
        commander = domain["commander_id"]
        fix = {"run_id": run, "bundle_id": bundle["bundle_id"], "domain": domain["domain"], "commander_id": commander}
        fix |= {"cycle": request["cycle"], "bundle": bundle}
        await self.bus.publish(f"commander-{commander}", f"swarm.fix-submitted.{run}.{commander}", fix)

    def compile(self):
        graph = StateGraph(Swarm)
        for node in (self.supervise, self.work, self.listen, self.mend):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "supervise")
        graph.add_conditional_edges("supervise", self.hand_out, ["work"])
        graph.add_edge("work", "listen")
        graph.add_conditional_edges("listen", self.next, ["mend", END])
        graph.add_edge("mend", "listen")
        return graph.compile()


def bundle_of(domain, content):
    name = domain["domain"]
    return {"bundle_id": f"{name}-1", "domain": name, "commander_id": domain["commander_id"], "status": "success", "content": content}


async def main():
    bus = Bus()
    state = {"run": f"returns-{time.time_ns() // 1_000_000}", "domains": [], "request": {}, "scored": {}}
    try:
        end = await Graph(bus).compile().ainvoke(state)
    finally:
        await bus.close()
    for domain in end["scored"]["domains"]:
        note = ", advisory" if domain.get("advisory") else ""
        print(f"{domain['domain']}: {domain['shadow_score']} %, {domain['verdict']}, gate: {domain['gate']}{note}")


if __name__ == "__main__":
    asyncio.run(main())
