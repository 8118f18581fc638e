# A judge of your own: python3 judge.py 8000
# then: shadowd replay --judge "http://127.0.0.1:8000/v1#mine" run.jsonl
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def judge(question, work):
    """Pass if one line of the work has most of the longer words of the question.

    Put your model or grader here. The work is untrusted: whoever wrote it may
    want to talk its judge round.
    """
    wanted = {word for word in re.findall(r"\w+", question.lower()) if len(word) > 3}
    for line in work.splitlines():
        found = wanted & set(re.findall(r"\w+", line.lower()))
        if not line.startswith("#") and 2 * len(found) > len(wanted):
            # A pass counts only if its evidence stands in the work, word for word.
            return {"verdict": "passed", "evidence": line, "reasoning": "it has the words", "defect": ""}
    # The commander is told the defect. Words of the question or of the work make
    # it useful, and let it through: without them it is told "not delivered".
    return {"verdict": "failed", "evidence": "", "reasoning": "", "defect": "no line has most of " + ", ".join(sorted(wanted))}


def part(prompt, name):
    """Return a part of the material, without the mark that each of its lines has."""
    found = re.search(rf"^<<<BEGIN {name} (\w+)>>>\n(.*?)^<<<END {name} \1>>>$", prompt, re.S | re.M)
    return found[2].replace(found[1] + "| ", "") if found else ""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = request["messages"][-1]["content"]
        # One question a request: an item of the assignment, or a criterion.
        item = part(prompt, "item").partition(": ")[2]
        criterion = re.search(r"^assertion: (.*)$", part(prompt, "criterion"), re.M)
        verdict = judge(item or criterion[1], part(prompt, "content"))
        message = {"role": "assistant", "content": json.dumps(verdict)}
        reply = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"http://127.0.0.1:{server.server_port}/v1#mine", flush=True)
server.serve_forever()
