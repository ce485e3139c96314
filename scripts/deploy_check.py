#!/usr/bin/env python3
"""Renders every overlay of deploy/, validates it against the schemas of three versions of Kubernetes and of the Gateway API, and holds
it to the project's own policy. Then breaks the rendered manifests on purpose, once for each rule, and fails if a rule does not notice.

Run by `make deploy-check`, with the tools of .tools/ (scripts/tools.sh)."""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
OVERLAYS = sorted(path.parent for path in (ROOT / "deploy/overlays").glob("*/kustomization.yaml"))
VERSIONS = ["1.35", "1.36", "1.37"]
GATEWAY_API = "gateway.networking.k8s.io/v1"
WORKLOADS = {"Deployment", "StatefulSet", "Job"}


def render(overlay):
    """The manifests of an overlay, as a list."""
    command = [ROOT / ".tools/bin/kubectl", "kustomize", overlay]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [document for document in yaml.safe_load_all(text) if document]


def name(manifest):
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


# Schemas.


def schema_faults(manifests):
    """What the schemas of Kubernetes say, by version."""
    for version in VERSIONS:
        for manifest in manifests:
            if manifest["apiVersion"] == GATEWAY_API:
                continue
            try:
                kubernetes_validate.validate(manifest, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                path = ".".join(str(step) for step in error.path)
                yield f"{name(manifest)}, Kubernetes {version}: {path}: {error.message}"
            except kubernetes_validate.SchemaNotFoundError:
                yield f"{name(manifest)}, Kubernetes {version}: no schema for {manifest['apiVersion']} {manifest['kind']}"


GATEWAY_SCRIPT = """
import { readFileSync } from "node:fs";
import { Gateway } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway";
import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
const kinds = { Gateway, HTTPRoute };
for (const manifest of JSON.parse(readFileSync(0, "utf8"))) {
  try { new kinds[manifest.kind](manifest).validate(); } catch (error) { console.log(`${manifest.kind}/${manifest.metadata.name}: ${error.message}`); }
}
"""


def gateway_faults(manifests):
    """What the schemas of the Gateway API say."""
    routes = [manifest for manifest in manifests if manifest["apiVersion"] == GATEWAY_API]
    if not routes:
        return
    # Modules are looked for beside the script.
    with tempfile.NamedTemporaryFile("w", suffix=".mjs", dir=ROOT / ".tools/node") as script:
        script.write(GATEWAY_SCRIPT)
        script.flush()
        said = subprocess.run(["node", script.name], input=json.dumps(routes), check=True, capture_output=True, text=True)
    yield from said.stdout.splitlines()


# Policy.


def workloads(manifests):
    """Each workload with the specification of its pods."""
    for manifest in manifests:
        if manifest["kind"] in WORKLOADS:
            yield manifest, manifest["spec"]["template"]["spec"]


def containers(manifests):
    for workload, pod in workloads(manifests):
        for container in pod.get("initContainers", []) + pod["containers"]:
            yield workload, pod, container


def settings_of(manifests, container):
    """The environment of a container, as far as the manifests say it."""
    maps = {m["metadata"]["name"]: m.get("data", {}) for m in manifests if m["kind"] == "ConfigMap"}
    settings = {}
    for source in container.get("envFrom", []):
        settings |= maps.get(source.get("configMapRef", {}).get("name"), {})
    return settings | {one["name"]: one["value"] for one in container.get("env", []) if "value" in one}


def matches(selector, labels):
    """Whether a label selector takes these labels. An empty one takes all."""
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(
        expression["operator"] == "In" and labels.get(expression["key"]) in expression["values"]
        for expression in selector.get("matchExpressions", [])
    )


def images_are_pinned(manifests):
    for workload, _, container in containers(manifests):
        tag = container["image"].rpartition("/")[2].partition(":")[2]
        if tag in ("", "latest"):
            yield f"{name(workload)}: the image {container['image']} names no version"


def memory_is_bounded(manifests):
    for workload, _, container in containers(manifests):
        resources = container.get("resources", {})
        if "memory" not in resources.get("limits", {}):
            yield f"{name(workload)}: {container['name']} has no limit of memory"
        if not {"cpu", "memory"} <= resources.get("requests", {}).keys():
            yield f"{name(workload)}: {container['name']} does not say what it needs"


def probes_are_there(manifests):
    for workload, _, container in containers(manifests):
        if workload["kind"] == "Job":
            continue
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if probe not in container:
                yield f"{name(workload)}: {container['name']} has no {probe}"


def nobody_is_root(manifests):
    for workload, pod, container in containers(manifests):
        of_pod, own = pod.get("securityContext", {}), container.get("securityContext", {})
        wanted = [
            (of_pod.get("runAsNonRoot") is True and of_pod.get("runAsUser", 0) > 0, "may run as root"),
            (of_pod.get("seccompProfile", {}).get("type") == "RuntimeDefault", "has no seccomp profile"),
            (own.get("allowPrivilegeEscalation") is False, "may gain privileges"),
            (own.get("readOnlyRootFilesystem") is True, "may write to its image"),
            (own.get("capabilities", {}).get("drop") == ["ALL"], "keeps capabilities"),
            (not own.get("privileged") and not pod.get("hostNetwork") and not pod.get("hostPID"), "has what is the host's"),
            (pod.get("automountServiceAccountToken") is False, "has a token of the cluster"),
        ]
        for holds, fault in wanted:
            if not holds:
                yield f"{name(workload)}: {container['name']} {fault}"


def secrets_are_referred_to(manifests):
    for manifest in manifests:
        if manifest["kind"] == "Secret":
            yield f"{name(manifest)}: secrets are not part of the manifests"
    for workload, _, container in containers(manifests):
        for variable, value in settings_of(manifests, container).items():
            if re.search("SECRET|PASSWORD|STORE_URL", variable) and value:
                yield f"{name(workload)}: {variable} is in the manifests"


def services_are_guarded(manifests):
    """Each Service is the door of pods that a policy of their own lets somebody in to; what no policy names is denied."""
    policies = [m for m in manifests if m["kind"] == "NetworkPolicy"]
    closed = [m for m in policies if m["spec"]["podSelector"] == {} and "ingress" not in m["spec"]]
    if not any(set(m["spec"]["policyTypes"]) == {"Ingress", "Egress"} for m in closed):
        yield "nothing denies by default"
    for service in (m for m in manifests if m["kind"] == "Service"):
        labels = service["spec"]["selector"]
        if not any(m["spec"].get("ingress") and matches(m["spec"]["podSelector"], labels) for m in policies):
            yield f"{name(service)}: no policy says who may come in"
        pods = [w["spec"]["template"]["metadata"]["labels"] for w, _ in workloads(manifests)]
        if not any(matches({"matchLabels": labels}, pod) for pod in pods):
            yield f"{name(service)}: there are no such pods"


def routes_lead_somewhere(manifests):
    """Each route of the gateway ends at a port of a Service that says what it speaks, and metrics are for the cluster alone."""
    ports = {
        (m["metadata"]["name"], port["port"]): port.get("appProtocol")
        for m in manifests if m["kind"] == "Service" for port in m["spec"]["ports"]
    }
    hidden = set()
    for route in (m for m in manifests if m["kind"] == "HTTPRoute"):
        for rule in route["spec"]["rules"]:
            paths = {match["path"]["value"] for match in rule.get("matches", [])}
            if not rule.get("backendRefs"):
                hidden |= paths
            for backend in rule.get("backendRefs", []):
                if ports.get((backend["name"], backend["port"])) != "kubernetes.io/h2c":
                    yield f"{name(route)}: {backend['name']} does not speak HTTP/2 there"
            if any(path.startswith("/nigiri.") for path in paths) and rule.get("timeouts", {}).get("request") != "0s":
                yield f"{name(route)}: streams are cut off"
    if any(m["kind"] == "Gateway" for m in manifests) and not {"/metrics", "/health"} <= hidden:
        yield "the gateway shows metrics or probes"


# Services that only other services and operators' tools call, inside of the cluster.
WITHIN = {"nigiri.game.v1.OversightService", "nigiri.matchmaking.v1.QueueService", "nigiri.session.v1.AccountsService"}


def everything_is_routed(manifests):
    """Every service of the API has a route, but for those that are called inside of the cluster alone."""
    if not any(m["kind"] == "Gateway" for m in manifests):
        return
    routed = {
        match["path"]["value"].strip("/")
        for m in manifests if m["kind"] == "HTTPRoute" for rule in m["spec"]["rules"] for match in rule.get("matches", [])
    }
    for file in sorted((ROOT / "proto/nigiri").rglob("*.proto")):
        text = file.read_text()
        package = re.search(r"^package (\S+);", text, re.M)[1]
        for service in (f"{package}.{found}" for found in re.findall(r"^service (\w+)", text, re.M)):
            if (service in routed) == (service in WITHIN):
                yield f"{service}: {'it is called from outside' if service in routed else 'no route leads there'}"


def seconds(text):
    factor = {"ms": 0.001, "s": 1, "m": 60}
    return sum(float(value) * factor[unit] for value, unit in re.findall(r"([\d.]+)(ms|s|m)", text))


def drains_fit(manifests):
    """A pod may take as long as its preStop, the delay, the grace and 5 s."""
    for workload, pod, container in containers(manifests):
        if container["name"] != "nigiri" or workload["kind"] == "Job":
            continue
        settings = settings_of(manifests, container)
        before = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        delay = seconds(settings.get("NIGIRI_SHUTDOWN_DELAY", "0s"))
        if before + delay < 3:
            yield f"{name(workload)}: the gateway has no time to notice that it goes"
        needed = before + delay + seconds(settings.get("NIGIRI_SHUTDOWN_GRACE", "10s")) + 5
        if pod.get("terminationGracePeriodSeconds", 30) < needed:
            yield f"{name(workload)}: it is killed before it has drained, which may take {needed:.0f} s"


def replicas_are_kept(manifests):
    """Whatever has several pods has a budget that leaves some, also while nodes are emptied, and is spread over them."""
    budgets = [m["spec"] for m in manifests if m["kind"] == "PodDisruptionBudget"]
    scaled = {m["spec"]["scaleTargetRef"]["name"]: m["spec"] for m in manifests if m["kind"] == "HorizontalPodAutoscaler"}
    for workload, pod in workloads(manifests):
        least = scaled.get(workload["metadata"]["name"], {}).get("minReplicas", workload["spec"].get("replicas", 1))
        if workload["kind"] == "Job" or least < 2:
            continue
        labels = workload["spec"]["template"]["metadata"]["labels"]
        mine = [budget for budget in budgets if matches(budget["selector"], labels)]
        if len(mine) != 1 or ("maxUnavailable" in mine[0]) == ("minAvailable" in mine[0]):
            yield f"{name(workload)}: it needs one budget, with either bound"
        if not pod.get("topologySpreadConstraints"):
            yield f"{name(workload)}: all of its pods may be on one node"
    for target, spec in scaled.items():
        if not any(w["metadata"]["name"] == target and "replicas" not in w["spec"] for w, _ in workloads(manifests)):
            yield f"HorizontalPodAutoscaler/{target}: there is no such Deployment, or it says itself how many"
        if spec["minReplicas"] < 2 or spec["maxReplicas"] <= spec["minReplicas"]:
            yield f"HorizontalPodAutoscaler/{target}: it has nothing to decide"


def names_are_short(manifests):
    """What only a real API server would say."""
    for workload, _, container in containers(manifests):
        for port in container.get("ports", []):
            if len(port.get("name", "")) > 15:
                yield f"{name(workload)}: the port's name {port['name']} has more than 15 characters"


POLICY = [
    images_are_pinned, memory_is_bounded, probes_are_there, nobody_is_root, secrets_are_referred_to, services_are_guarded,
    routes_lead_somewhere, everything_is_routed, drains_fit, replicas_are_kept, names_are_short,
]

# Monitoring.


def monitoring_faults(manifests):
    """Rules and their tests hold, panels are PromQL, each alert has a runbook and tests, each metric of an autoscaler an adapter's rule."""
    folder = ROOT / "deploy/monitoring"
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]):
        ran = subprocess.run(["promtool", *command], cwd=folder, capture_output=True, text=True)
        if ran.returncode:
            yield f"promtool {' '.join(command)}: {ran.stdout}{ran.stderr}"
    rules = yaml.safe_load((folder / "alerts.yaml").read_text())["groups"][0]["rules"]
    runbooks = set(re.findall(r"^### (Nigiri\w+)$", (ROOT / "docs/operations.md").read_text(), re.M))
    yield from (f"{rule['alert']} has no runbook" for rule in rules if rule["alert"] not in runbooks)
    yield from (f"there is a runbook of {name}, and no such alert" for name in runbooks - {rule["alert"] for rule in rules})
    tested = [
        (test["alertname"], bool(test["exp_alerts"]))
        for one in yaml.safe_load((folder / "alerts.test.yaml").read_text())["tests"] for test in one["alert_rule_test"]
    ]
    for rule in rules:
        if {(rule["alert"], True), (rule["alert"], False)} - set(tested):
            yield f"{rule['alert']} is not tested both ways"
    yield from panel_faults(folder)
    adapted = " ".join(rule["seriesQuery"] for rule in yaml.safe_load((folder / "adapter.yaml").read_text())["rules"]["custom"])
    for manifest in manifests:
        if manifest["kind"] == "HorizontalPodAutoscaler":
            for metric in (one["pods"]["metric"]["name"] for one in manifest["spec"]["metrics"] if one["type"] == "Pods"):
                if metric not in adapted:
                    yield f"{name(manifest)}: the adapter has no rule for {metric}"


def panel_faults(folder):
    """Whether Prometheus understands every panel."""
    panels = [
        target["expr"].replace("$__rate_interval", "5m")
        for file in sorted((folder / "dashboards").glob("*.json"))
        for panel in json.loads(file.read_text())["panels"] for target in panel.get("targets", [])
    ]
    recorded = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(panels)]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rules:
        yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}, rules)
        rules.flush()
        ran = subprocess.run(["promtool", "check", "rules", rules.name], capture_output=True, text=True)
        if ran.returncode:
            yield f"a panel is no PromQL: {ran.stdout}{ran.stderr}"


# Ways to break the production overlay, each with the rule that must notice.


def find(manifests, kind, called):
    return next(m for m in manifests if m["kind"] == kind and m["metadata"]["name"] == called)


def game(manifests):
    return find(manifests, "Deployment", "game")["spec"]["template"]["spec"]


def drop(manifests, kind, called):
    manifests.remove(find(manifests, kind, called))


BREAKS = {
    "latest": (images_are_pinned, lambda m: game(m)["containers"][0].update(image="a/nigiri:latest")),
    "no tag": (images_are_pinned, lambda m: game(m)["containers"][0].update(image="a:5000/nigiri")),
    "no limit": (memory_is_bounded, lambda m: game(m)["containers"][0]["resources"].pop("limits")),
    "no startup probe": (probes_are_there, lambda m: game(m)["containers"][0].pop("startupProbe")),
    "root": (nobody_is_root, lambda m: game(m)["securityContext"].pop("runAsNonRoot")),
    "capabilities": (nobody_is_root, lambda m: game(m)["containers"][0]["securityContext"].pop("capabilities")),
    "writable": (nobody_is_root, lambda m: game(m)["containers"][0]["securityContext"].update(readOnlyRootFilesystem=False)),
    "a secret": (secrets_are_referred_to, lambda m: game(m)["containers"][0]["env"].append({"name": "NIGIRI_SERVICE_SECRET", "value": "x"})),
    "an open door": (services_are_guarded, lambda m: drop(m, "NetworkPolicy", "to-game")),
    "all doors open": (services_are_guarded, lambda m: drop(m, "NetworkPolicy", "deny-all")),
    "no h2c": (routes_lead_somewhere, lambda m: find(m, "Service", "game")["spec"]["ports"][0].pop("appProtocol")),
    "a time limit": (routes_lead_somewhere, lambda m: find(m, "HTTPRoute", "game")["spec"]["rules"][0].pop("timeouts")),
    "metrics for all": (routes_lead_somewhere, lambda m: find(m, "HTTPRoute", "page")["spec"]["rules"].pop(0)),
    "no way to the game": (everything_is_routed, lambda m: drop(m, "HTTPRoute", "game")),
    "killed early": (drains_fit, lambda m: game(m).update(terminationGracePeriodSeconds=20)),
    "no preStop": (drains_fit, lambda m: game(m)["containers"][0].pop("lifecycle")),
    "no budget": (replicas_are_kept, lambda m: drop(m, "PodDisruptionBudget", "game")),
    "all on one node": (replicas_are_kept, lambda m: game(m).pop("topologySpreadConstraints")),
    "two masters": (replicas_are_kept, lambda m: find(m, "Deployment", "game")["spec"].update(replicas=3)),
    "a long name": (names_are_short, lambda m: game(m)["containers"][0]["ports"][0].update(name="a-name-that-is-long")),
    "an unknown field": (schema_faults, lambda m: game(m).update(nodeSelektor={})),
    "an unknown kind": (schema_faults, lambda m: find(m, "Service", "game").update(kind="Dienst")),
    "a wrong match": (gateway_faults, lambda m: find(m, "HTTPRoute", "game")["spec"]["rules"][0]["matches"][0]["path"].update(type="Prefix")),
}


def notices_what_is_broken(sound):
    """Each break of the sound manifests is noticed by its rule."""
    for what, (rule, breaks) in BREAKS.items():
        broken = copy.deepcopy(sound)
        breaks(broken)
        if not list(rule(broken)):
            yield f"the rule {rule.__name__} does not notice: {what}"
    if unbroken := {rule.__name__ for rule in POLICY} - {rule.__name__ for rule, _ in BREAKS.values()}:
        yield f"nothing is broken for the rules {sorted(unbroken)}"


def main():
    if not shutil.which("promtool"):
        sys.exit("promtool is missing: it is in Debian's package prometheus (scripts/servers.sh installs it)")
    faults, count, seen = [], 0, set()
    for overlay in OVERLAYS:
        manifests = render(overlay)
        count += len(manifests)
        # What several overlays have is validated once.
        new = [manifest for manifest in manifests if json.dumps(manifest) not in seen]
        seen |= {json.dumps(manifest) for manifest in new}
        faults += [f"{overlay.name}: {fault}" for rule in (schema_faults, gateway_faults) for fault in rule(new)]
        for rule in POLICY:
            faults += [f"{overlay.name}: {fault}" for fault in rule(manifests)]
    production = render(ROOT / "deploy/overlays/production")
    faults += [*monitoring_faults(production), *notices_what_is_broken(production)]
    for script in (ROOT / "deploy").rglob("*.sh"):
        faults += subprocess.run(["sh", "-n", script], capture_output=True, text=True).stderr.splitlines()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(OVERLAYS)} overlays, {count} manifests, {len(VERSIONS)} versions of Kubernetes, {len(BREAKS)} breaks: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
