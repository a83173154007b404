
# Installs the Sallyport agent on this machine and joins it to a cluster. The proxy writes the values above: token, proxy,
# cluster, version, target, sha256, curl_pin, ca_pin. Where the machine is no server itself: asked, what it is to reach, as lines
# of an option of the agent and its value, and known_by, a text that agent.json has then; or kube_name, of the cluster that kubectl
# reaches from here. Running it again upgrades the agent; the machine stays who it is.
# Nothing runs before the last line, so a script that was cut off on its way does nothing.

set -euo pipefail
umask 022

usage() {
  cat <<'TEXT'
Installs the Sallyport agent on this machine and joins it to the cluster. Running it again upgrades the agent.

  -u         uninstall the agent and forget who this machine is
  -p FOLDER  install below this folder instead of /, without systemd
  -l LABELS  labels of this machine, such as env=prod,team=web
  -n         do not start the agent
  -k FILE    kubeconfig of the cluster that is to be added, instead of the one that kubectl takes
  -h         this text
TEXT
}

fail() {
  printf 'error, %s\n' "$*" >&2
  exit 1
}

say() {
  printf '%s\n' "$*"
}

set_places() {
  home="$prefix/opt/sallyport-agent"
  data="$prefix/var/lib/sallyport-agent"
  log="$prefix/var/log/sallyport-agent.log"
  unit="/etc/systemd/system/sallyport-agent.service"
  pid_file="$data/agent.pid"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

uses_systemd() {
  [ -z "$prefix" ] && [ -d /run/systemd/system ] && has systemctl
}

command_of() {
  if [ -d /proc/self ]; then
    { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null || true
  else
    ps -o args= -p "$1" || true
  fi
}

# The process that an earlier run started in the background, if it is still ours.
running_pid() {
  local pid
  [ -f "$pid_file" ] || return 1
  pid=$(cat "$pid_file")
  case "$(command_of "$pid")" in
    "$home"/*) printf '%s' "$pid" ;;
    *) return 1 ;;
  esac
}

stop_agent() {
  local pid left=100
  if uses_systemd; then
    systemctl disable --now sallyport-agent.service >/dev/null 2>&1 || true
    return
  fi
  pid=$(running_pid) || return 0
  kill "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { kill -9 "$pid" 2>/dev/null || true; break; }
    sleep 0.1
  done
  rm -f "$pid_file"
}

uninstall() {
  [ -d "$home" ] || fail "there is no Sallyport agent in $home"
  stop_agent
  if uses_systemd; then
    rm -f "$unit"
    systemctl daemon-reload
  fi
  rm -rf "$home" "$data" "$log"
  say "The Sallyport agent is gone from this machine. It leaves the list of servers within a few minutes."
}

check_machine() {
  local system machine
  [ -n "$prefix" ] || [ "$(id -u)" = 0 ] || fail "this must be run as root: put sudo in front of bash"
  for program in uname tar gzip mktemp; do
    has "$program" || fail "this needs the program $program; install it and run this again"
  done
  has curl || has wget || fail "this needs curl or wget; install one of them and run this again"
  has sha256sum || has shasum || fail "this needs sha256sum or shasum; install one of them and run this again"
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  case "$(uname -m)" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) machine=$(uname -m) ;;
  esac
  [ "$system-$machine" = "$target" ] ||
    fail "this machine is $system-$machine, and the proxy $proxy has the agent for $target only; add this machine as an OpenSSH server instead"
}

# $1: where to. The address holds the token, so it is in no argument that other users of this machine could read.
fetch() {
  local url="$proxy/scripts/$token/agent/$target.tar.gz" options
  if has curl; then
    options=(-fsS)
    [ -z "$curl_pin" ] || options+=(-k --pinnedpubkey "$curl_pin")
    printf 'url = "%s"\n' "$url" | curl "${options[@]}" -o "$1" --config -
  else
    options=(-q)
    [ -z "$curl_pin" ] || options+=(--no-check-certificate "--pinnedpubkey=$curl_pin")
    printf '%s\n' "$url" | wget "${options[@]}" -O "$1" -i -
  fi
}

hash_of() {
  if has sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# Everything is in place and has been tried out before the version that runs is touched.
install_files() {
  next="$home/versions/$sha256"
  if [ -d "$next" ]; then
    say "This version of the agent is installed already."
    return
  fi
  mkdir -p "$home/versions"
  draft=$(mktemp -d "$home/versions/.new.XXXXXX")
  trap 'rm -rf "$draft"' EXIT
  say "Fetching the agent from $proxy"
  fetch "$draft/agent.tar.gz" || fail "the agent could not be fetched from $proxy; check that this machine reaches it, and that the token has not expired"
  [ "$(hash_of "$draft/agent.tar.gz")" = "$sha256" ] || fail "what came from $proxy is not what it should be; run this again"
  mkdir "$draft/agent"
  tar -xzf "$draft/agent.tar.gz" -C "$draft/agent" --no-same-owner
  "$draft/agent/bin/node" --version >/dev/null ||
    fail "the agent does not run on this machine: it needs glibc 2.28 or newer, libstdc++ and libatomic (Debian, Ubuntu: apt install libatomic1; Fedora, RHEL: dnf install libatomic)"
  mv "$draft/agent" "$next"
  rm -rf "$draft"
  trap - EXIT
}

# As who called sudo, whose configuration kubectl has.
run_kubectl() {
  local command=(kubectl)
  [ -z "$kubeconfig" ] || command+=(--kubeconfig "$kubeconfig")
  if [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && [ -z "$prefix" ]; then
    sudo -n -H -u "$SUDO_USER" -- "${command[@]}" "$@"
  else
    "${command[@]}" "$@"
  fi
}

# An account in the cluster that may say for whom it asks, and nothing else, and its token for the agent.
prepare_kube() {
  local server token='' left=100 secret=(-n sallyport get secret sallyport-agent)
  has kubectl || fail "this needs kubectl, set up for the cluster that is to be added"
  server=$(run_kubectl config view --minify --raw -o 'jsonpath={.clusters[0].cluster.server}') ||
    fail "kubectl is not set up for a cluster; give its configuration with -k"
  case "$server" in
    https://*) ;;
    *) fail "the cluster of kubectl is not reached over https: $server" ;;
  esac
  run_kubectl apply -f - <<'YAML' >/dev/null || fail "the account of the agent could not be made in the cluster; kubectl says why"
apiVersion: v1
kind: Namespace
metadata: { name: sallyport }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: sallyport-agent, namespace: sallyport }
---
apiVersion: v1
kind: Secret
type: kubernetes.io/service-account-token
metadata:
  name: sallyport-agent
  namespace: sallyport
  annotations: { kubernetes.io/service-account.name: sallyport-agent }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: sallyport-agent }
rules:
  - apiGroups: ['']
    resources: [users, groups, serviceaccounts]
    verbs: [impersonate]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: sallyport-agent }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sallyport-agent }
subjects: [{ kind: ServiceAccount, name: sallyport-agent, namespace: sallyport }]
YAML
  while [ "$left" -gt 0 ]; do
    token=$(run_kubectl "${secret[@]}" -o 'jsonpath={.data.token}') || token=''
    [ -z "$token" ] || break
    left=$((left - 1))
    sleep 0.1
  done
  [ -n "$token" ] || fail "the cluster made no token for the account sallyport-agent in the namespace sallyport"
  (
    umask 077
    printf '%s' "$token" | base64 -d >"$data/kube-token"
    run_kubectl "${secret[@]}" -o 'jsonpath={.data.ca\.crt}' | base64 -d >"$data/kube-ca.crt"
  )
  asked="kube $kube_name=$server
kube-token-file $data/kube-token
kube-ca-file $data/kube-ca.crt"
}

join_cluster() {
  local line
  if [ -f "$data/identity.json" ]; then
    grep -qF "\"$proxy\"" "$data/agent.json" 2>/dev/null ||
      fail "this machine belongs to another cluster; leave it first with $home/uninstall"
    [ -z "$known_by" ] || grep -qF "$known_by" "$data/agent.json" ||
      fail "this machine has an agent already; say in $data/agent.json what else it reaches and start it anew"
    return
  fi
  mkdir -p "$data"
  chmod 700 "$data"
  # The token comes over the standard input: arguments can be read by every user of this machine.
  local options=(--proxy "$proxy" --data-dir "$data" --token-file /dev/stdin)
  [ -z "$ca_pin" ] || options+=(--ca-pin "$ca_pin")
  [ -z "$labels" ] || options+=(--labels "$labels")
  [ -z "$kube_name" ] || prepare_kube
  while IFS= read -r line; do
    [ -z "$line" ] || options+=("--${line%% *}" "${line#* }")
  done <<<"$asked"
  printf '%s' "$token" | "$next/bin/node" "$next/agent.mjs" join "${options[@]}" >/dev/null || fail "this machine could not join the cluster $cluster"
}

switch_version() {
  local old
  ln -sfn "versions/$sha256" "$home/current"
  for old in "$home/versions"/* "$home/versions"/.new.*; do
    [ "$old" = "$next" ] || rm -rf "$old"
  done
  {
    printf '#!/usr/bin/env bash\nset -euo pipefail\nprefix=%q\n' "$prefix"
    declare -f fail say has set_places uses_systemd command_of running_pid stop_agent uninstall
    printf 'set_places\nuninstall\n'
  } >"$home/uninstall"
  chmod 755 "$home/uninstall"
}

write_unit() {
  cat >"$unit" <<UNIT
[Unit]
Description=Sallyport agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=$home/current/bin/node $home/current/agent.mjs start --data-dir $data
Restart=always
RestartSec=5
# What people leave running in their sessions (tmux, nohup) goes on.
KillMode=process
# It makes control groups for the sessions whose programs are told.
Delegate=yes
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
UNIT
}

start_agent() {
  if uses_systemd; then
    write_unit
    systemctl daemon-reload
    systemctl enable --quiet sallyport-agent.service
    systemctl restart sallyport-agent.service
    return
  fi
  stop_agent
  mkdir -p "${log%/*}"
  : >"$log"
  # Away from this terminal, which may close.
  (
    trap '' HUP
    cd /
    exec "$home/current/bin/node" "$home/current/agent.mjs" start --data-dir "$data" </dev/null >>"$log" 2>&1
  ) &
  printf '%s\n' "$!" >"$pid_file"
}

agent_runs() {
  if uses_systemd; then systemctl is-active --quiet sallyport-agent.service; else kill -0 "$(cat "$pid_file")" 2>/dev/null; fi
}

agent_log() {
  if uses_systemd; then journalctl --quiet --output cat --unit sallyport-agent.service --since "@$began"; else cat "$log"; fi
}

wait_for_agent() {
  local left=300 where="in $log"
  uses_systemd && where="with: journalctl -u sallyport-agent"
  while [ "$left" -gt 0 ]; do
    agent_runs || fail "the agent does not stay up; see why $where"
    if agent_log | grep '"connected"' >/dev/null; then
      say "Version $version of the Sallyport agent runs, and this machine is connected to the cluster $cluster."
      return
    fi
    left=$((left - 1))
    sleep 0.1
  done
  say "Version $version of the Sallyport agent runs, but it is not connected to the cluster $cluster yet; see why $where"
}

main() {
  local start=yes remove=no option
  prefix=''
  kubeconfig=''
  labels=''
  while getopts 'hunp:l:k:' option; do
    case "$option" in
      h) usage; exit 0 ;;
      u) remove=yes ;;
      n) start=no ;;
      p) prefix=$OPTARG ;;
      l) labels=$OPTARG ;;
      k) kubeconfig=$OPTARG ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  case "$prefix" in
    '') ;;
    /*) prefix=${prefix%/} ;;
    *) fail "-p: give an absolute path, such as /srv/image" ;;
  esac
  set_places
  if [ "$remove" = yes ]; then
    uninstall
    return
  fi
  check_machine
  install_files
  join_cluster
  switch_version
  if [ "$start" = no ]; then
    say "Version $version of the Sallyport agent is installed and belongs to the cluster $cluster."
    return
  fi
  began=$(date +%s)
  start_agent
  wait_for_agent
}

main "$@"
