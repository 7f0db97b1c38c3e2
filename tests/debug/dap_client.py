"""A client of the Debug Adapter Protocol, and sessions with `warpsim debug --dap` that check what it answers.

    dap_client.py WARPSIM SESSION [FILE...]
"""
import base64
import json
import os
import queue
import re
import socket
import struct
import subprocess
import sys
import threading

PATIENCE = 100  # seconds, for a machine that is busy; nothing is measured


class Client:
    def __init__(self, command, port=False, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if port else None, **options)
        if port:
            number = int(re.search(rb"127\.0\.0\.1:(\d+)", self.process.stderr.readline()).group(1))
            self.socket = socket.create_connection(("127.0.0.1", number))
            self.source, self.sink = self.socket.makefile("rb"), self.socket.makefile("wb")
        else:
            self.source, self.sink = self.process.stdout, self.process.stdin
        self.arrived = queue.Queue()
        self.events = []
        self.seq = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while True:
                header = {}
                while True:
                    line = self.source.readline()
                    if not line:
                        return
                    if line == b"\r\n":
                        break
                    name, value = line.split(b":", 1)
                    header[name] = value
                body = self.source.read(int(header[b"Content-Length"]))
                self.arrived.put(json.loads(body.decode("utf-8")))
        finally:
            self.arrived.put(None)

    def send_bytes(self, data):
        self.sink.write(data)
        self.sink.flush()

    def send(self, command, **arguments):
        self.seq += 1
        text = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        return self.seq

    def next(self):
        message = self.arrived.get(timeout=PATIENCE)
        assert message is not None, "the adapter has ended"
        return message

    def response(self, seq):
        while True:
            message = self.next()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == seq:
                return message

    def ask(self, command, **arguments):
        answer = self.response(self.send(command, **arguments))
        assert answer["success"], answer
        assert answer["command"] == command
        return answer.get("body", {})

    def refused(self, command, **arguments):
        answer = self.response(self.send(command, **arguments))
        assert not answer["success"] and answer["message"], answer
        return answer["message"]

    def event(self, name, wanted=lambda body: True):
        """The next one; those before it are forgotten."""
        while True:
            while self.events:
                message = self.events.pop(0)
                if message["event"] == name and wanted(message.get("body", {})):
                    return message.get("body", {})
            message = self.next()
            assert message["type"] == "event", message
            self.events.append(message)

    def begin(self, stops_on_entry=False, breakpoints=(), functions=(), filters=("fault",), **launch):
        able = self.ask("initialize", adapterID="warpsim", linesStartAt1=True, pathFormat="path")
        assert able["supportsStepBack"] and able["supportsConfigurationDoneRequest"]
        self.ask("launch", stopOnEntry=stops_on_entry, **launch)
        self.event("initialized")
        set_ = []
        for path, lines in breakpoints:
            set_ += self.ask("setBreakpoints", source={"path": path}, breakpoints=lines)["breakpoints"]
        if functions:
            set_ += self.ask("setFunctionBreakpoints", breakpoints=list(functions))["breakpoints"]
        self.ask("setExceptionBreakpoints", filters=list(filters))
        self.ask("configurationDone")
        return set_

    def stop(self, reason):
        body = self.event("stopped")
        assert body["reason"] == reason, body
        self.thread = body["threadId"]
        return body

    def top(self):
        return self.ask("stackTrace", threadId=self.thread)["stackFrames"][0]

    def value(self, expression, context="watch"):
        return self.ask("evaluate", expression=expression, frameId=self.top()["id"], context=context)["result"]

    def scope(self, name):
        scopes = self.ask("scopes", frameId=self.top()["id"])["scopes"]
        return next(s["variablesReference"] for s in scopes if s["name"] == name)

    def inside(self, reference, **window):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **window)["variables"]}

    def end(self, code=0):
        """To the end of the program; what it printed."""
        printed = ""
        while True:
            while self.events:
                message = self.events.pop(0)
                body = message.get("body", {})
                if message["event"] == "output" and body["category"] in ("stdout", "stderr"):
                    printed += body["output"]
                if message["event"] == "exited":
                    assert body["exitCode"] == code, (body, printed)
                    self.event("terminated")
                    self.ask("disconnect")
                    assert self.process.wait(PATIENCE) == 0
                    return printed
            self.events.append(self.next())


def plan_session(command, plan, source):
    """From launch to exit, with breakpoints, steps forward and back, and values of all kinds."""
    c = Client(command + [plan])
    pending = c.begin(stops_on_entry=True, breakpoints=[(source, [{"line": 5, "condition": "%tid.x == 37"}])])
    assert not pending[0]["verified"] and pending[0]["id"] > 0
    changed = c.event("breakpoint")["breakpoint"]
    assert changed["id"] == pending[0]["id"] and changed["verified"], changed
    c.stop("entry")
    first = c.top()
    assert os.path.samefile(first["source"]["path"], source), first
    threads = c.ask("threads")["threads"]
    assert threads[0]["name"] == "block (0,0,0) warp 0" and len(threads) >= 8, threads
    c.ask("continue", threadId=c.thread)
    hit = c.stop("breakpoint")
    assert hit["hitBreakpointIds"] == [pending[0]["id"]]
    assert c.value("threadIdx.x") == "37" and c.value("blockIdx.x") == "0"
    assert c.value("%tid.x + 2 * 3") == "43"
    here = c.top()
    assert here["line"] == 5, here
    special = c.inside(c.scope("Special"))
    members = c.inside(special["blockDim"]["variablesReference"])
    assert (members["x"]["value"], members["y"]["value"]) == ("256", "1")
    assert special["blockIdx"]["evaluateName"] == "blockIdx" and members["x"]["evaluateName"] == "(blockDim).x"
    arguments = c.inside(c.scope("Arguments"))
    by_place = list(arguments.values())
    assert by_place[0]["value"] == "1000" and by_place[1]["value"] == "2.5", arguments
    lanes = c.inside(c.scope("Lanes"))
    assert len(lanes) == 32 and "(37,0,0) executes next" in lanes["lane 5"]["value"], lanes
    assert c.inside(lanes["lane 6"]["variablesReference"])
    # What x holds, through the pointer, against its bytes.
    pointer = by_place[2]["name"]
    address = c.value("(unsigned long)" + pointer)
    elements = c.ask("evaluate", expression="*(float *)%s@8" % pointer, frameId=c.top()["id"])
    assert elements["indexedVariables"] == 8
    parts = c.inside(elements["variablesReference"], start=2, count=3)
    assert list(parts) == ["[2]", "[3]", "[4]"]
    data = base64.b64decode(c.ask("readMemory", memoryReference=hex(int(address)), count=32)["data"])
    floats = struct.unpack("8f", data)
    for i in (2, 3, 4):
        assert struct.pack("f", float(parts["[%d]" % i]["value"])) == struct.pack("f", floats[i])
    # Changes, which a look at the bytes must show.
    assert c.ask("setVariable", variablesReference=elements["variablesReference"], name="[3]", value="1.0 / 4")["value"] == "0.25"
    c.ask("writeMemory", memoryReference=hex(int(address)), offset=16, data=base64.b64encode(struct.pack("f", 8)).decode())
    data = base64.b64decode(c.ask("readMemory", memoryReference=hex(int(address)), count=32)["data"])
    assert struct.unpack("8f", data)[3:5] == (0.25, 8.0)
    c.ask("setExpression", expression="*(float *)%s" % pointer, value="-1", frameId=c.top()["id"])
    assert c.value("*(float *)%s" % pointer) == "-1"
    c.ask("setVariable", variablesReference=elements["variablesReference"], name="[3]", value="0.5")
    # Nothing that is left to compute reads these elements differently: they are put back.
    c.ask("writeMemory", memoryReference=hex(int(address)), data=base64.b64encode(struct.pack("8f", *floats)).decode())
    registers = c.inside(c.scope("Registers"))
    assert any(name.startswith("%r") for name in registers)
    assert "there is no" in c.refused("evaluate", expression="nonsense", frameId=c.top()["id"], context="watch")
    assert "commands" not in c.value("info cuda warps", "repl") and "warp 1" in c.value("info cuda warps", "repl")
    # By instruction, there and back.
    at = c.top()["instructionPointerReference"]
    before = c.value("`info position", "repl")
    c.ask("stepIn", threadId=c.thread, granularity="instruction")
    c.stop("step")
    assert int(c.top()["instructionPointerReference"], 16) == int(at, 16) + 1
    c.ask("stepBack", threadId=c.thread, granularity="instruction")
    c.stop("step")
    assert c.top()["instructionPointerReference"] == at and c.value("`info position", "repl") == before
    shown = c.ask("disassemble", memoryReference=at, instructionOffset=-2, instructionCount=5)["instructions"]
    assert len(shown) == 5 and shown[2]["address"] == at and shown[2]["instruction"]
    # A watchpoint on y[37], which this thread writes.
    y = by_place[3]["name"]
    info = c.ask("dataBreakpointInfo", name="*((float *)%s + 37)" % y, frameId=c.top()["id"])
    assert info["dataId"] and "write" in info["accessTypes"]
    watch = c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert watch[0]["verified"]
    c.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    c.ask("continue", threadId=c.thread)
    assert c.stop("data breakpoint")["hitBreakpointIds"] == [watch[0]["id"]]
    assert c.value("threadIdx.x") == "37"
    c.ask("reverseContinue", threadId=c.thread)
    body = c.event("stopped")
    assert "begins here" in body["text"], body
    c.thread = body["threadId"]
    c.ask("setDataBreakpoints", breakpoints=[])
    c.ask("next", threadId=c.thread)
    c.stop("step")
    # Out of the kernel: where its thread has ended.
    c.ask("stepOut", threadId=c.thread)
    assert "has ended" in c.stop("step")["text"]
    c.ask("continue", threadId=c.thread)
    c.end()


def has_loopback():
    """Some containers have no network at all."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), 5).close()
        return True
    except OSError:
        return False


def hits_session(command, plan, source):
    """Counts of hits, breakpoints by function and by instruction, and changes while the program runs."""
    c = Client(command + ["0"], port=True) if has_loopback() else Client(command)
    made = c.begin(functions=[{"name": "saxpy", "hitCondition": "% 3"}], plan=plan)
    for count in (3, 6):
        hit = c.stop("function breakpoint")
        assert hit["hitBreakpointIds"] == [made[0]["id"]]
        assert "hit %d times" % count in c.value("`info breakpoints", "repl")
        c.ask("continue", threadId=c.thread)
    c.stop("function breakpoint")
    c.ask("setFunctionBreakpoints", breakpoints=[])
    at = int(c.top()["instructionPointerReference"], 16)
    wanted = [{"instructionReference": hex(at), "offset": 2, "hitCondition": "== 2"}]
    told = c.ask("setInstructionBreakpoints", breakpoints=wanted)["breakpoints"]
    assert told[0]["verified"]
    bad = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "*x"}, {"name": "saxpy", "condition": "1 +"}])["breakpoints"]
    assert not bad[0]["verified"] and not bad[1]["verified"] and bad[1]["message"]
    c.ask("setFunctionBreakpoints", breakpoints=[])
    c.ask("continue", threadId=c.thread)
    c.stop("instruction breakpoint")
    assert int(c.top()["instructionPointerReference"], 16) == at + 2
    c.ask("continue", threadId=c.thread)
    c.end()


def fault_session(command, plan):
    c = Client(command + [plan])
    c.begin()
    stop = c.stop("exception")
    assert "0x" in stop["text"], stop
    info = c.ask("exceptionInfo", threadId=c.thread)
    assert info["exceptionId"] == "fault" and info["description"] == stop["text"]
    c.ask("stepBack", threadId=c.thread, granularity="instruction")
    c.stop("step")
    c.ask("continue", threadId=c.thread)
    c.stop("exception")
    c.ask("continue", threadId=c.thread)
    c.end(4)
    # Without the filter it ends at once.
    c = Client(command + [plan])
    c.begin(filters=())
    c.end(4)


def endless_session(command, plan):
    """A kernel that does not end: pause, changes while it runs, terminate."""
    c = Client(command + [plan])
    c.begin()
    c.ask("pause", threadId=1)
    c.stop("pause")
    assert c.ask("threads")["threads"]
    c.ask("continue", threadId=c.thread)
    message = c.refused("scopes", frameId=1)
    assert "pause" in message, message
    told = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "no_such_function"}])["breakpoints"]
    assert not told[0]["verified"]
    c.ask("pause", threadId=1)
    c.stop("pause")
    c.ask("continue", threadId=c.thread)
    c.ask("terminate")
    c.event("exited")
    c.event("terminated")
    c.ask("disconnect")
    assert c.process.wait(PATIENCE) == 0
    # The client goes without a word.
    c = Client(command + [plan])
    c.begin()
    c.sink.close()
    assert c.process.wait(PATIENCE) == 0


def program_session(command, program, source, line):
    c = Client(command)
    made = c.begin(stops_on_entry=False, breakpoints=[(source, [{"line": int(line)}])], program=program)
    hit = c.stop("breakpoint")
    assert hit["hitBreakpointIds"] == [made[0]["id"]], hit
    here = c.top()
    assert here["line"] == int(line) and os.path.samefile(here["source"]["path"], source), here
    assert c.inside(c.scope("Special"))["blockIdx"]["variablesReference"]
    c.ask("next", threadId=c.thread)
    c.stop("step")
    c.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    c.ask("continue", threadId=c.thread)
    printed = c.end()
    assert printed.strip(), printed


def host_session(command, *program):
    """A program that uses no GPU ends the session, with its output."""
    c = Client(command + ["--"] + list(program))
    c.begin(functions=[{"name": "saxpy"}])
    assert c.end(3) == "one\ntwo\n"
    c = Client(command + ["--", "/no/such/program"])
    c.ask("initialize")
    assert "no such program" in c.refused("launch")
    assert c.refused("threads_of_nothing")
    c.ask("disconnect")
    assert c.process.wait(PATIENCE) == 0


def log_session(command, plan, source):
    """Log points say something and do not stop; findings of checkers are exceptions."""
    c = Client(command + [plan])
    able = c.ask("initialize", adapterID="warpsim")
    assert able["supportsLogPoints"] and able["supportsRestartRequest"]
    assert "finding" in [f["filter"] for f in able["exceptionBreakpointFilters"]]
    c.ask("launch")
    c.event("initialized")
    c.ask("setBreakpoints", source={"path": source}, breakpoints=[
        {"line": 5, "condition": "threadIdx.x == 70", "logMessage": "block {blockIdx.x} has {%r1 + 0} and {nobody}."}])
    c.ask("setExceptionBreakpoints", filters=["fault"])
    c.ask("configurationDone")
    said = []
    while len(said) < 4:
        body = c.event("output", lambda b: b["output"].startswith("block "))
        said.append(body["output"])
    for block, text in enumerate(sorted(said)):
        assert text.startswith("block %d has %d and <there is no 'nobody'" % (block, 256 * block + 70)), said
    c.end()


def restart_session(command, plan, source):
    """The program begins once more with its breakpoints, wherever it was; and it can be left alone."""
    c = Client(command + [plan])
    made = c.begin(breakpoints=[(source, [{"line": 5, "condition": "threadIdx.x == 37"}])])
    c.stop("breakpoint")
    c.ask("continue", threadId=c.thread)
    c.stop("breakpoint")
    assert c.value("blockIdx.x") == "1"
    c.ask("restart")
    hit = c.stop("breakpoint")
    assert hit["hitBreakpointIds"] == [made[0]["id"]]
    assert c.value("blockIdx.x") == "0" and c.value("threadIdx.x") == "37"
    c.ask("restart", arguments={"stopOnEntry": True})
    c.stop("entry")
    assert c.value("`info position", "repl").startswith("instruction 1 of")
    c.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    c.ask("continue", threadId=c.thread)
    c.end()
    # It goes on without its client, who is answered at once.
    c = Client(command + [plan])
    c.begin(breakpoints=[(source, [{"line": 5}])])
    c.stop("breakpoint")
    c.ask("disconnect", terminateDebuggee=False)
    assert c.process.wait(PATIENCE) == 0
    c = Client(command + [plan])
    c.ask("initialize")
    assert "launch" in c.refused("attach")
    assert "nothing has been launched" in c.refused("restart")
    c.ask("disconnect")
    assert c.process.wait(PATIENCE) == 0


def finding_session(command, plan):
    """The access that completes a finding."""
    c = Client(command + ["--check=race", plan])
    c.begin(filters=("fault", "finding"))
    stop = c.stop("exception")
    assert "race: write after read" in c.ask("exceptionInfo", threadId=c.thread)["description"], stop
    assert c.top()["line"] == 4
    c.ask("setExceptionBreakpoints", filters=[])
    c.ask("continue", threadId=c.thread)
    c.end(1)


def malformed_session(command, plan):
    def framed(text):
        return b"Content-Length: %d\r\n\r\n" % len(text) + text

    c = Client(command + [plan])
    bad = [b"{", b"[]", b"7", b'{"seq": "x"}', b'{"type": "request", "seq": 1, "command": 5}', b"\xff\xfe",
           b"[" * 5000, b'{"type":"request","seq":1,"command":"launch","arguments":[]}',
           b'{"type":"request","seq":1,"command":"launch","arguments":{"plan":5}}',
           b'{"type":"request","seq":1,"command":"launch","arguments":{"env":[1]}}',
           b'{"type":"request","seq":1,"command":"setBreakpoints","arguments":{"source":3}}'[:70] + b"}"]
    for text in bad:
        c.send_bytes(framed(text))
        answer = c.next()
        assert answer["type"] == "response" and not answer["success"], (text, answer)
    c.begin(stops_on_entry=True)
    c.stop("entry")
    frame = c.top()["id"]
    for command_, arguments in [
            ("nonsense", {}), ("scopes", {"frameId": "x"}), ("scopes", {"frameId": 10 ** 6}),
            ("stackTrace", {"threadId": -1}), ("stackTrace", {}), ("variables", {"variablesReference": 0}),
            ("variables", {"variablesReference": [1]}), ("evaluate", {}), ("evaluate", {"expression": 4}),
            ("evaluate", {"expression": "(" * 3000, "frameId": frame}), ("setBreakpoints", {}),
            ("setBreakpoints", {"source": {"path": 4}}), ("setBreakpoints", {"source": {"path": "a"}, "breakpoints": [4]}),
            ("readMemory", {"memoryReference": "zz", "count": 4}), ("readMemory", {"memoryReference": "0x0", "count": -4}),
            ("disassemble", {"memoryReference": "0x0", "instructionCount": 10 ** 9}),
            ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": 4}]}),
            ("setVariable", {"variablesReference": 1, "name": "x", "value": "1"}), ("source", {"sourceReference": 99})]:
        assert c.refused(command_, **arguments), command_
    told = c.ask("setDataBreakpoints", breakpoints=[{"dataId": "nonsense"}])["breakpoints"]
    assert not told[0]["verified"]
    c.ask("continue", threadId=c.thread)
    c.end()
    for rubbish in (b"\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"x" * 5000,
                    b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: abc\r\n\r\n"):
        c = Client(command + [plan])
        c.send_bytes(rubbish)
        c.event("terminated")
        assert c.process.wait(PATIENCE) == 0


if __name__ == "__main__":
    globals()[sys.argv[2] + "_session"]([sys.argv[1], "debug", "--dap"], *sys.argv[3:])
    print("all is well")
