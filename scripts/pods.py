#!/usr/bin/env python3
"""Runs the pods of deploy/ on this machine, from the manifests as they are rendered: `pods.py BINARY`, as root, on Linux.

A kubelet in small. Each pod has its own network, processes, host name and root: the layer of the image (scripts/image.py makes it) and the volumes of
the manifest; user, group, capabilities, read-only root, arguments, environment with its ConfigMaps and Secrets, probes, preStop and grace are what the
manifest says. Names of Services are answered by a resolver of our own with the pods that are ready. Redis is this machine's, and its pods see this
machine's programs, read-only; Postgres stands outside, as for `production`.

What is not done: NetworkPolicies, seccomp, limits of memory, virtual addresses of Services (a name has the addresses of all ready pods), the gateway.

Each overlay is started as by `kubectl apply -k`, all at once. Then people play (`nigiri swarm`), and pods are deleted meanwhile, after others have taken
their places: each has to go on serving during preStop, then say that it is not ready, and end by itself within its grace, with 0; and nothing may be lost.
At last the network between one of the game service's pods and Redis is cut while people play, which may cost nothing either."""

import base64
import contextlib
import ctypes
import http.client
import io
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOST = "10.97.0.1"
NAMESPACES = ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]

# In the pod: from here on nothing of the machine is needed but what was mounted.


def libc(name, *arguments):
    call = getattr(ctypes.CDLL(None, use_errno=True), name)
    if call(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}{arguments}")


def mount(source, target, kind=None, flags=0, data=None):
    text = lambda word: None if word is None else str(word).encode()
    libc("mount", text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data))


RDONLY, NOSUID, NODEV, REMOUNT, BIND, REC = 1, 2, 4, 32, 4096, 16384


def bind(source, target, readonly):
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        open(target, "a").close()
    mount(source, target, flags=BIND | REC)
    if readonly:
        mount(None, target, flags=BIND | REMOUNT | RDONLY | NOSUID)


def inside(spec):
    """Makes the container's root and becomes its process: the first of its own process namespace."""
    socket.sethostname(spec["host"])
    root = spec["root"]
    mount("tmpfs", root, "tmpfs", NOSUID, "mode=755")
    for source, target, readonly in spec["mounts"]:
        bind(source, root + target, readonly)
    for target, user in spec["empty"]:
        os.makedirs(root + target, exist_ok=True)
        mount("tmpfs", root + target, "tmpfs", NOSUID | NODEV, f"mode=1777,uid={user}")
    for folder in ("proc", "dev"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    mount("proc", f"{root}/proc", "proc")
    for device in ("null", "zero", "random", "urandom"):
        bind(f"/dev/{device}", f"{root}/dev/{device}", False)
    if spec["readonly"]:
        mount(None, root, flags=REMOUNT | RDONLY | NOSUID, data="mode=755")
    os.chroot(root)
    os.chdir("/")
    become(spec)
    os.execve(spec["command"][0], spec["command"], spec["env"])


def become(spec):
    """The user, without any rights beyond."""
    keep = {"ALL": []}.get(spec["drop"], range(64))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in range(41):
        if capability not in keep and prctl(24, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")
    os.setgroups(spec["groups"])
    os.setresgid(spec["group"], spec["group"], spec["group"])
    os.setresuid(spec["user"], spec["user"], spec["user"])
    if spec["no_new_privileges"] and prctl(38, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")


# Outside.


class Resolver:
    """Answers names of Services, and of pods with a name of their own, with the addresses of pods that are there."""

    def __init__(self):
        self.cluster = None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((HOST, 53))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            with contextlib.suppress(OSError, struct.error, IndexError, UnicodeDecodeError):
                self.socket.sendto(self.answer(question), sender)

    def answer(self, question):
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode().lower())
            at += 1 + question[at]
        kind, = struct.unpack(">H", question[at + 1:at + 3])
        addresses = self.cluster.addresses(".".join(labels))
        found = [] if kind != 1 or not addresses else addresses
        flags = 0x8580 | (3 if addresses is None else 0)
        head = question[:2] + struct.pack(">HHHHH", flags, 1, len(found), 0, 0)
        records = [struct.pack(">HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address) for address in found]
        return head + question[12:at + 5] + b"".join(records)


class Failure(Exception):
    """What a pod did not do as its manifest says."""


class NotReady(Failure):
    """Pods that have not come up, with what those of the ledger have said."""


def name(manifest):
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


class Cluster:
    """The pods of one overlay."""

    made = itertools.count(1)

    def __init__(self, manifests, secrets, image, folder, resolver):
        self.manifests, self.secrets, self.image, self.folder = manifests, secrets, image, folder
        self.pods, self.lock = [], threading.Lock()
        self.outside = {"postgres-outside": [HOST]}
        self.namespace = next(m["metadata"]["name"] for m in manifests if m["kind"] == "Namespace")
        resolver.cluster = self

    def named(self, kind, called):
        return next(m for m in self.manifests if m["kind"] == kind and m["metadata"]["name"] == called)

    def addresses(self, asked):
        """The addresses of a name; none where there is no such name."""
        for end in (f".{self.namespace}.svc.cluster.local", ".svc.cluster.local", ".cluster.local"):
            asked = asked.removesuffix(end)
        if asked in self.outside:
            return self.outside[asked]
        pod, _, service = asked.rpartition(".")
        for manifest in self.manifests:
            if manifest["kind"] != "Service" or manifest["metadata"]["name"] != service:
                continue
            spec = manifest["spec"]
            serving = [one for one in self.living() if all(one.labels.get(k) == v for k, v in spec["selector"].items())]
            if not spec.get("publishNotReadyAddresses"):
                serving = [one for one in serving if one.ready and not one.leaving]
            if pod:
                serving = [one for one in serving if one.name == pod]
            return [one.address for one in serving] or (None if pod else [])
        return None

    def living(self):
        with self.lock:
            return list(self.pods)

    def start(self, workload, number=None):
        pod = Pod(self, workload, next(self.made), number)
        with self.lock:
            self.pods.append(pod)
        pod.begin()
        return pod

    def apply(self):
        """Starts everything, as many of each as its autoscaler begins with, or its manifest says."""
        least = {
            m["spec"]["scaleTargetRef"]["name"]: m["spec"]["minReplicas"]
            for m in self.manifests if m["kind"] == "HorizontalPodAutoscaler"
        }
        for workload in self.manifests:
            if workload["kind"] in ("Deployment", "StatefulSet", "Job"):
                replicas = least.get(workload["metadata"]["name"], workload["spec"].get("replicas", 1))
                for number in range(replicas if workload["kind"] != "Job" else 1):
                    self.start(workload, number if workload["kind"] == "StatefulSet" else None)

    def of(self, service):
        return [pod for pod in self.living() if pod.labels.get("app.kubernetes.io/name") == service]

    def until_ready(self, patience=150):
        """Waits until every pod is ready, and every Job has done its work."""
        end = time.monotonic() + patience
        while waiting := [pod for pod in self.living() if not (pod.completed if pod.job else pod.ready)]:
            for pod in waiting:
                pod.check()
            if time.monotonic() > end:
                ledger = [pod for pod in self.living() if pod.labels.get("app.kubernetes.io/name") in ("redis", "sentinel")]
                said = "\n".join(f"{pod.name}:\n{pod.tail()}" for pod in [waiting[0], *ledger])
                raise NotReady(f"not ready after {patience} s: {', '.join(pod.name for pod in waiting)}\n{said}")
            time.sleep(0.1)

    def remove(self, pod):
        with self.lock:
            self.pods.remove(pod)

    def kill(self):
        for pod in self.living():
            pod.kill()


class Pod:
    """One pod with its one container."""

    def __init__(self, cluster, workload, index, number):
        self.cluster, self.workload = cluster, workload
        self.job = workload["kind"] == "Job"
        template = workload["spec"]["template"]
        self.labels, self.spec = template["metadata"]["labels"], template["spec"]
        self.annotations = template["metadata"].get("annotations", {})
        if len(self.spec["containers"]) != 1 or self.spec.get("initContainers"):
            raise Failure(f"{name(workload)}: this script knows pods of one container")
        self.container = self.spec["containers"][0]
        self.name = f"{workload['metadata']['name']}-{index if number is None else number}"
        self.address, self.link, self.net = f"10.97.1.{index}", f"pod{index}", f"net{index}"
        self.ready = self.started = self.leaving = self.completed = False
        self.restarts, self.process, self.fault, self.stopped = 0, None, None, threading.Event()
        self.log = cluster.folder / f"{self.name}.log"

    # What the manifest says.

    def environment(self):
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME": self.name}
        for source in self.container.get("envFrom", []):
            environment |= self.cluster.named("ConfigMap", source["configMapRef"]["name"])["data"]
        for one in self.container.get("env", []):
            if "value" in one:
                environment[one["name"]] = one["value"]
            else:
                reference = one["valueFrom"]["secretKeyRef"]
                environment[one["name"]] = self.cluster.secrets[reference["name"]][reference["key"]]
        return environment

    def port(self, wanted):
        named = {port["name"]: port["containerPort"] for port in self.container.get("ports", [])}
        return named[wanted] if isinstance(wanted, str) else wanted

    def command(self, ours):
        """What is started: the image's entry point where the manifest names no command."""
        command = self.container.get("command", ["/nigiri"] if ours else [])
        command = command + self.container.get("args", [])
        if not command[0].startswith("/"):
            command[0] = shutil.which(command[0])
        return command

    def volumes(self):
        """Folders that are mounted as (source, target, read-only), and those that begin empty, in memory."""
        mounts, empty = [], []
        kinds = {volume["name"]: volume for volume in self.spec.get("volumes", [])}
        for one in self.container.get("volumeMounts", []):
            volume = kinds.get(one["name"])
            if volume is None:
                claim = self.cluster.folder / f"{one['name']}-{self.name}"
                claim.mkdir(exist_ok=True)
                group = self.spec["securityContext"]["fsGroup"]
                os.chown(claim, 0, group)
                claim.chmod(0o2775)
                mounts.append((str(claim), one["mountPath"], one.get("readOnly", False)))
            elif "emptyDir" in volume:
                empty.append((one["mountPath"], self.spec["securityContext"]["runAsUser"]))
            else:
                folder = self.cluster.folder / f"map-{volume['configMap']['name']}"
                folder.mkdir(exist_ok=True)
                for file, text in self.cluster.named("ConfigMap", volume["configMap"]["name"])["data"].items():
                    (folder / file).write_text(text)
                mounts.append((str(folder), one["mountPath"], True))
        return mounts, empty

    def specification(self):
        of_pod, own = self.spec.get("securityContext", {}), self.container.get("securityContext", {})
        ours = self.container["name"] == "nigiri"
        mounts, empty = self.volumes()
        if ours:
            mounts += [(str(path), f"/{path.name}", True) for path in self.cluster.image.iterdir()]
        else:
            mounts += [(path, path, True) for path in ("/usr", "/bin", "/lib", "/lib64") if os.path.exists(path)]
        etc = self.cluster.folder / f"etc-{self.name}"
        etc.mkdir(exist_ok=True)
        search = f"{self.cluster.namespace}.svc.cluster.local svc.cluster.local cluster.local"
        (etc / "resolv.conf").write_text(f"search {search}\nnameserver {HOST}\noptions ndots:5\n")
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n{self.address} {self.name}\n")
        mounts += [(str(etc / file), f"/etc/{file}", True) for file in ("resolv.conf", "hosts")]
        root = self.cluster.folder / f"root-{self.name}"
        root.mkdir(exist_ok=True)
        groups = [of_pod["fsGroup"]] if "fsGroup" in of_pod else []
        return {
            "host": self.name, "root": str(root), "mounts": mounts, "empty": empty, "command": self.command(ours),
            "env": self.environment(), "readonly": own.get("readOnlyRootFilesystem", False), "user": of_pod["runAsUser"],
            "group": of_pod["runAsGroup"], "groups": groups, "drop": (own.get("capabilities", {}).get("drop") or [""])[0],
            "no_new_privileges": own.get("allowPrivilegeEscalation") is False,
        }

    # Its life.

    def begin(self):
        ip = lambda *words: subprocess.run(["ip", *words], check=True)
        ip("netns", "add", self.net)
        ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.net)
        ip("link", "set", self.link, "master", "pods", "up")
        for words in (["addr", "add", f"{self.address}/16", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
            ip("-n", self.net, *words)
        threading.Thread(target=self.keep, daemon=True).start()

    def keep(self):
        """Starts the container, and again when it ends, as its restart policy says."""
        try:
            while not self.leaving:
                self.run()
                code = self.process.wait()
                self.ready = self.started = False
                if self.leaving:
                    break
                if self.job and code == 0:
                    self.completed = True
                    break
                self.restarts += 1
                self.stopped.wait(min(10 * 2 ** (self.restarts - 1), 300))
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            self.fault = error

    def run(self):
        asked = base64.b64encode(json.dumps(self.specification()).encode()).decode()
        unshare = [*NAMESPACES[:1], *NAMESPACES[2:-3], "--propagation", "private"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.net, *unshare, sys.executable, __file__, "--inside", asked],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        self.restarted = time.monotonic()
        for probe in ("startup", "readiness", "liveness"):
            if f"{probe}Probe" in self.container:
                threading.Thread(target=self.probe, args=(probe, self.process), daemon=True).start()
        if self.job:
            self.started = True

    def main(self):
        """The container's process, as this machine numbers it: the child of `unshare`."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        if not children:
            raise Failure(f"{self.name} is not running\n{self.tail()}")
        return int(children[0])

    def probe(self, kind, process):
        """Asks as often as the manifest says, and does what follows from the answers."""
        probe = self.container[f"{kind}Probe"]
        failures, threshold = 0, probe.get("failureThreshold", 3)
        time.sleep(probe.get("initialDelaySeconds", 0))
        while process.poll() is None:
            if kind == "startup" or self.started:
                good = self.ask(probe)
                failures = 0 if good else failures + 1
                if kind == "startup" and good:
                    self.started = True
                    return
                if kind == "readiness" and (good or failures >= threshold):
                    self.ready = good
                elif kind != "readiness" and failures >= threshold:
                    with self.log.open("a") as log:
                        log.write(f"the {kind} probe has failed {failures} times\n")
                    process.kill()
                    return
            time.sleep(probe.get("periodSeconds", 10) if kind == "startup" or self.started else 0.1)

    def ask(self, probe):
        limit = probe.get("timeoutSeconds", 1)
        if "httpGet" in probe:
            return self.get(probe["httpGet"]["path"], self.port(probe["httpGet"]["port"]), limit)[0] // 100 in (2, 3)
        # As another process of the container.
        try:
            enter = ["nsenter", "--target", str(self.main()), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd=/"]
            ran = subprocess.run([*enter, *probe["exec"]["command"]], timeout=limit, capture_output=True)
            return ran.returncode == 0
        except (subprocess.TimeoutExpired, OSError, Failure):
            return False

    def get(self, path, port, limit=2):
        try:
            connection = http.client.HTTPConnection(self.address, port, timeout=limit)
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""

    def check(self):
        if self.fault:
            raise Failure(f"{self.name}: {self.fault}")

    def confined(self):
        """Whether the process is as confined as the manifest says."""
        spec, main = self.specification(), self.main()
        status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{main}/status").read_text().splitlines() if ":\t" in line)
        wanted = {"Uid": spec["user"], "Gid": spec["group"]}
        for key, value in wanted.items():
            if set(status[key].split()) != {str(value)}:
                raise Failure(f"{self.name}: {key} is {status[key]}, not {value}")
        for key in ("CapEff", "CapPrm", "CapBnd"):
            if spec["drop"] == "ALL" and int(status[key], 16):
                raise Failure(f"{self.name} has capabilities: {key} {status[key]}")
        if spec["no_new_privileges"] and status["NoNewPrivs"] != "1":
            raise Failure(f"{self.name} may gain privileges")
        lines = [line.split() for line in pathlib.Path(f"/proc/{main}/mountinfo").read_text().splitlines()]
        if spec["readonly"] and "ro" not in next(line[5] for line in lines if line[4] == "/").split(","):
            raise Failure(f"{self.name} may write to its root")
        if os.path.exists(f"/proc/{main}/root{ROOT}"):
            raise Failure(f"{self.name} sees this machine")

    def scraped(self):
        """What Prometheus reads, where the annotations say."""
        at = {key.removeprefix("prometheus.io/"): value for key, value in self.annotations.items()}
        if at.get("scrape") != "true":
            return
        status, text = self.get(at["path"], int(at["port"]))
        if status != 200 or b"nigiri_" not in text:
            raise Failure(f"{self.name}: {at['path']} answers {status}")

    def terminate(self):
        """Deletes the pod: it is taken off the list of those that serve, preStop is run, it is told, and killed when its grace is over."""
        began, grace = time.monotonic(), self.spec.get("terminationGracePeriodSeconds", 30)
        self.leaving = True
        before = self.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        readiness = self.container.get("readinessProbe")
        while time.monotonic() < began + before:
            if readiness and not self.ask(readiness):
                raise Failure(f"{self.name} does not serve during preStop")
            time.sleep(0.5)
        os.kill(self.main(), signal.SIGTERM)
        # From now on it says that it is not ready, or nothing at all.
        time.sleep(1)
        if readiness and self.process.poll() is None and self.ask(readiness):
            raise Failure(f"{self.name} says that it is ready a second after SIGTERM")
        try:
            code = self.process.wait(max(0, began + grace - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.name} had to be killed after {grace} s\n{self.tail()}") from None
        if code != 0:
            raise Failure(f"{self.name} ended with {code}\n{self.tail()}")
        self.cluster.remove(self)
        return time.monotonic() - began

    def kill(self):
        self.leaving = True
        self.stopped.set()
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def tail(self):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-15:])


# What is done with them.


def rendered(overlay):
    import yaml

    command = [ROOT / ".tools/bin/kubectl", "kustomize", ROOT / "deploy/overlays" / overlay]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [document for document in yaml.safe_load_all(text) if document]


def unpacked(binary, folder):
    """The layer of the image, as scripts/image.py makes it, of the binary without its debugging information."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import image

    small = folder / "binary"
    if subprocess.run(["strip", "-o", small, binary], stderr=subprocess.DEVNULL).returncode:
        shutil.copy(binary, small)
    layer = folder / "image"
    layer.mkdir()
    with tarfile.open(fileobj=io.BytesIO(image.layer(small))) as archive:
        archive.extractall(layer, filter="fully_trusted")
    return layer


@contextlib.contextmanager
def postgres(folder):
    """A Postgres outside of the cluster, with an empty database."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    programs = found[-1] if found else pathlib.Path(shutil.which("initdb")).parent
    data = folder / "postgres"
    data.mkdir()
    shutil.chown(data, "postgres")
    as_postgres = lambda *words: subprocess.run(
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *map(str, words)], check=True, stdout=subprocess.DEVNULL, cwd="/"
    )
    as_postgres(programs / "initdb", "-D", data, "-A", "trust", "-U", "nigiri", "--locale=C.UTF-8", "--no-sync")
    with (data / "pg_hba.conf").open("a") as allowed:
        allowed.write("host all all 10.97.0.0/16 trust\n")
    options = f"-c listen_addresses={HOST} -c unix_socket_directories={data} -c fsync=off -c max_connections=300"
    as_postgres(programs / "pg_ctl", "-D", data, "-o", options, "-l", data / "log", "-w", "start")
    as_postgres(programs / "createdb", "-h", HOST, "-U", "nigiri", "nigiri")
    try:
        yield "postgres://nigiri@postgres-outside/nigiri"
    finally:
        as_postgres(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


class Swarm:
    """People who play, from outside of the pods."""

    def __init__(self, binary, *arguments):
        command = [binary, "swarm", "--json", "--pairs=6", "--connections=12", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self):
        said, told = self.process.communicate(timeout=240)
        report = json.loads(said.strip().splitlines()[-1]) if said.strip() else {}
        lost = {key: report.get(key) for key in ("moves_lost", "order_violations", "results_wrong", "ratings_wrong", "errors", "timeouts_lost")}
        if self.process.returncode or any(value != 0 for value in lost.values()) or not report["games_finished"]:
            raise Failure(f"people have lost something: {report}\n{told}")
        return report


def at_once(doings):
    """Does things at the same time; the first fault counts."""
    faults, threads = [], []

    def does(doing):
        try:
            doing()
        except Exception as error:  # noqa: BLE001 - told below
            faults.append(error)

    for doing in doings:
        threads.append(threading.Thread(target=does, args=(doing,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def looked_at(cluster):
    """Every pod that serves is confined, and shows its metrics."""
    for pod in cluster.living():
        if not pod.job:
            pod.confined()
            pod.scraped()


def dev(binary, image, folder, resolver):
    """One pod of everything: what it has acknowledged is there when another takes its place."""
    cluster = Cluster(rendered("dev"), {}, image, folder, resolver)
    try:
        cluster.apply()
        cluster.until_ready()
        looked_at(cluster)
        [pod] = cluster.of("nigiri")
        Swarm(binary, f"--server=http://{pod.address}:7878", "--seconds=4").finish()
        took = pod.terminate()
        cluster.start(pod.workload, 0)
        cluster.until_ready()
        [pod] = cluster.of("nigiri")
        report = Swarm(binary, f"--server=http://{pod.address}:7878", "--seconds=2").finish()
        pod.terminate()
        verified = subprocess.run([binary, "verify", "--data", folder / "data-nigiri-0"], capture_output=True, text=True)
        if verified.returncode:
            raise Failure(verified.stdout + verified.stderr)
        games = verified.stdout.strip().splitlines()[-1]
        print(f"dev: 1 pod, replaced in {took:.0f} s; {report['games_finished']} games after that; {games}")
    finally:
        cluster.kill()


def reaches(pod, other, port):
    """Whether a new connection from one pod to another comes about within a second."""
    script = f"import socket; socket.create_connection(('{other.address}', {port}), 1)"
    return subprocess.run(["ip", "netns", "exec", pod.net, sys.executable, "-c", script], stderr=subprocess.DEVNULL).returncode == 0


def is_primary(pod):
    """Whether this Redis is the one that takes entries."""
    with socket.create_connection((pod.address, 6379), 2) as redis:
        redis.sendall(b"ROLE\r\n")
        return b"master" in redis.recv(64)


def cut_off(cluster, swarm, seconds=8):
    """Nothing that a pod of the game service sends arrives at the Redis that takes entries, nor the other way, and nobody is told; all else does."""
    [redis] = [pod for pod in cluster.of("redis") if is_primary(pod)]
    game = cluster.of("game")[0]
    # Two ports of the bridge that are isolated are so from each other alone.
    isolate = lambda how: [subprocess.run(["bridge", "link", "set", "dev", pod.link, "isolated", how], check=True) for pod in (game, redis)]
    time.sleep(3)
    isolate("on")
    try:
        if reaches(game, redis, 6379):
            raise Failure(f"{game.name} is to be cut off from {redis.name}, and is not")
        time.sleep(seconds)
    finally:
        isolate("off")
    report = swarm.finish()
    if not reaches(game, redis, 6379):
        raise Failure(f"{game.name} does not reach {redis.name} again")
    cluster.until_ready()
    return report


def production(binary, image, folder, resolver):
    """Each service by its Deployment: a pod of each is replaced while people play, and one is cut off from Redis."""
    with postgres(folder) as store:
        secrets = {"nigiri-service": {"secret": "of-the-pods-of-a-test"}, "nigiri-store": {"url": store}}
        cluster = Cluster(rendered("production"), secrets, image, folder, resolver)
        # As an installation may decide: the people of a swarm are guests.
        settings = next(m for m in cluster.manifests if m["kind"] == "ConfigMap" and "NIGIRI_LISTEN" in m["data"])
        settings["data"]["NIGIRI_RATED_GUESTS"] = "true"
        try:
            cluster.apply()
            cluster.until_ready()
            looked_at(cluster)
            pods = len(cluster.living())
            services = ["session", "game", "matchmaking", "rating"]
            where = lambda: [f"--{one}={','.join(f'http://{pod.address}:7878' for pod in cluster.of(one))}" for one in services]
            going, known = [cluster.of(one)[0] for one in [*services, "bot", "operator"]], where()
            # As the Deployments say: one more, and then one less.
            for pod in going:
                cluster.start(pod.workload)
            cluster.until_ready()
            before = {pod: pod.restarts for pod in cluster.living()}
            swarm = Swarm(binary, *known, "--seconds=20")
            time.sleep(5)
            took = {}
            at_once([lambda pod=pod: took.update({pod.name: pod.terminate()}) for pod in going])
            report = swarm.finish()
            if not report["interruptions"]:
                raise Failure(f"nobody was at a pod that went: {report}")
            looked_at(cluster)
            if again := [pod for pod in cluster.living() if pod.restarts > before[pod]]:
                raise Failure(f"{[pod.name for pod in again]} had to be started again while people played\n{again[0].tail()}")
            cut = cut_off(cluster, Swarm(binary, *where(), "--seconds=15"))
            restarts = {pod.name: pod.restarts for pod in cluster.living() if pod.restarts}
            print(
                f"production: {pods} pods, {len(going)} of them replaced in at most {max(took.values()):.0f} s; {report['games_finished']} games, "
                f"{report['interruptions']} streams went on elsewhere; {cut['games_finished']} games while one of them was cut off from Redis for 8 s; "
                f"begun anew before all was there: {restarts or 'none'}"
            )
        finally:
            cluster.kill()


def started(scene, binary, image, folder, resolver, tries=2):
    """Plays a scene. On a machine that has much else to do the pods may not come up; they are started anew once then, and it is told why."""
    for left in reversed(range(tries)):
        own = folder / f"{scene.__name__}-{left}"
        own.mkdir()
        try:
            return scene(binary, image, own, resolver)
        except NotReady as failure:
            if not left:
                raise
            print(f"{scene.__name__}, once more: {failure}", file=sys.stderr)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--inside":
        return inside(json.loads(base64.b64decode(sys.argv[2])))
    if len(sys.argv) != 2:
        sys.exit("pods.py BINARY")
    binary = pathlib.Path(sys.argv[1]).resolve()
    if not os.environ.get("NIGIRI_PODS"):
        probe = subprocess.run([*NAMESPACES, "ip", "link", "add", "pods", "type", "bridge"], capture_output=True, text=True)
        if os.getuid() or probe.returncode:
            # The one thing that is left out where it cannot be: containers seldom may make containers.
            print(f"The pods are not run: that needs root and namespaces of one's own. {probe.stderr.strip()}", file=sys.stderr)
            return 0
        return subprocess.run([*NAMESPACES, sys.executable, __file__, binary], env=os.environ | {"NIGIRI_PODS": "1"}).returncode
    # In namespaces of our own: whatever is left of this run ends with it.
    mount("tmpfs", "/run", "tmpfs")
    for words in (["link", "set", "lo", "up"], ["link", "add", "pods", "type", "bridge"], ["addr", "add", f"{HOST}/16", "dev", "pods"], ["link", "set", "pods", "up"]):
        subprocess.run(["ip", *words], check=True)
    with tempfile.TemporaryDirectory(prefix="nigiri-pods-") as made:
        folder = pathlib.Path(made)
        folder.chmod(0o755)
        image, resolver = unpacked(binary, folder), Resolver()
        for one in [globals()[name] for name in os.environ.get("PODS_ONLY", "dev production").split()]:
            try:
                started(one, binary, image, folder, resolver)
            except Failure as failure:
                sys.exit(f"{one.__name__}: {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
