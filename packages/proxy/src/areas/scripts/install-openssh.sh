# Registers the OpenSSH server of this machine with the cluster: it then trusts the logins that the cluster certifies,
# and shows a certificate of its own. Nothing else is installed, and nothing keeps running. Before this line stand:
# token, proxy, cluster, user_ca, curl_pin. Nothing runs before the last line, so a script that was cut off on its way does
# nothing.
set -u

usage() {
  cat <<END
Registers the OpenSSH server of this machine with the cluster $cluster.

  --address HOST      under which the proxy reaches this machine (default: the address it comes from)
  --hostname NAME     the name of the server (default: $(hostname 2>/dev/null))
  --labels K=V,...    labels of the server
  --config FILE       configuration of sshd (default: /etc/ssh/sshd_config)
  --sshd FILE         the program (default: the one of the system)
  --reload COMMAND    makes sshd read its configuration again (default: as the system does it)
  --keep-principals   leave AuthorizedPrincipalsFile or -Command as they are
  --uninstall         take everything back
END
}
say() { printf '%s\n' "$1"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

main() {
  config=/etc/ssh/sshd_config
  sshd='' reload='' address='' labels='' keep_principals='' uninstall=''
  hostname=$(hostname 2>/dev/null || uname -n)
  while [ $# -gt 0 ]; do
    case $1 in
      --keep-principals) keep_principals=yes ;;
      --uninstall) uninstall=yes ;;
      -h | --help) usage && exit 0 ;;
      --address | --hostname | --labels | --config | --sshd | --reload)
        [ $# -ge 2 ] || fail "$1 needs a value"
        option=${1#--}
        printf -v "$option" '%s' "$2"
        shift
        ;;
      *) fail "unknown option $1; --help lists them" ;;
    esac
    shift
  done

  [ -n "$sshd" ] || sshd=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v sshd) || fail 'no OpenSSH server is installed here'
  [ -f "$config" ] || fail "there is no $config; name the configuration of sshd with --config"
  [ -w "$config" ] || fail "$config cannot be written; run this as root"
  folder=$(cd "$(dirname "$config")" && pwd)
  own_ca=$folder/sallyport_user_ca.pub
  certificate=$folder/sallyport_host-cert.pub
  kept=$folder/sallyport-openssh.sh
  begin='# BEGIN sallyport'
  end='# END sallyport'
  work=$(mktemp -d) || fail 'no temporary directory can be made'
  # Until it is done, what was not there before goes again.
  keep=''
  ! grep -qxF "$begin" "$config" || keep=yes
  trap 'rm -rf "$work"; [ -n "$keep" ] || rm -f "$own_ca" "$certificate"' EXIT
  # sshd wants it even to look at a configuration, and with a socket nothing has made it yet.
  [ -d /run/sshd ] || mkdir -p -m 755 /run/sshd 2>/dev/null || true

  # What the administrator wrote, without our block.
  without_block() { awk -v begin="$begin" -v end="$end" '$0 == begin { ours = 1 } !ours { print } $0 == end { ours = 0 }' "$config"; }
  # In place: owner, mode and security context of the file stay.
  replace() { cat "$1" >"$2"; }
  effective() { "$sshd" -T -C user=root,host=localhost,addr=127.0.0.1 -f "$work/before" 2>"$work/complaint"; }
  setting() { awk -v name="$1" '$1 == name { print $2 }' "$work/effective"; }
  reload_sshd() {
    if [ -n "$reload" ]; then
      sh -c "$reload"
      return
    fi
    if command -v systemctl >/dev/null; then
      for unit in sshd ssh; do
        if systemctl is-active -q "$unit"; then
          systemctl reload "$unit"
          return
        fi
      done
      # With a socket, every connection starts its own sshd.
      systemctl is-active -q ssh.socket sshd.socket && return
    fi
    [ -f /run/sshd.pid ] && kill -HUP "$(cat /run/sshd.pid)"
  }

  without_block >"$work/before"
  effective >"$work/effective" || fail "sshd does not accept $config: $(head -n 1 "$work/complaint")"
  shared_ca=$(setting trustedusercakeys)
  [ "$shared_ca" != none ] || shared_ca=''

  if [ -n "$uninstall" ]; then
    replace "$work/before" "$config"
    if [ -n "$shared_ca" ] && [ -f "$shared_ca" ]; then
      grep -vxF "$user_ca" "$shared_ca" >"$work/ca"
      replace "$work/ca" "$shared_ca"
    fi
    rm -f "$own_ca" "$certificate" "$kept"
    "$sshd" -t -f "$config" || fail "sshd does not accept $config any more; it was not reloaded"
    reload_sshd || fail 'sshd could not be reloaded; restart it'
    say "$config is as it was before. Remove the server from the cluster as well: sallyport rm node/ID"
    exit 0
  fi

  [ -n "$token" ] || fail 'this copy of the script can only --uninstall; get a new command from the console'
  case $hostname in *[!A-Za-z0-9._-]* | '') fail "\"$hostname\" is no host name; choose one with --hostname" ;; esac
  case $address in *[!A-Za-z0-9.:-]*) fail "\"$address\" is no address" ;; esac
  case $labels in *[\"\\]* | *[[:cntrl:]]*) fail '--labels: quotes and backslashes are not allowed' ;; esac
  [ "$(setting pubkeyauthentication)" = yes ] || fail "PubkeyAuthentication is off in $config: certificates are keys, so it has to be on"
  for name in authorizedprincipalsfile authorizedprincipalscommand; do
    found=$(setting $name)
    if [ -z "$keep_principals" ] && [ -n "$found" ] && [ "$found" != none ]; then
      fail "$name is set in $config: logins of the cluster have their own name as their only principal. Let those in, then run this again with --keep-principals"
    fi
  done

  public_key=''
  for type in ssh-ed25519 ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521 ssh-rsa; do
    for key in $(setting hostkey); do
      line=$(cat "$key.pub" 2>/dev/null || ssh-keygen -y -f "$key" 2>/dev/null) || continue
      case $line in "$type "*) public_key=$(printf '%s\n' "$line" | awk '{ print $1, $2 }') && break 2 ;; esac
    done
  done
  [ -n "$public_key" ] || fail 'sshd has no host key that could be certified'
  port=$(setting listenaddress | head -n 1 | sed 's/.*://')
  case $port in '' | *[!0-9]*) fail "the port of sshd cannot be read from $config" ;; esac

  # Tried before anything is asked of the cluster.
  write_config() {
    {
      printf '%s\n# Made by the script of the cluster; taken out again by its --uninstall.\n' "$begin"
      [ -n "$shared_ca" ] || printf 'TrustedUserCAKeys %s\n' "$own_ca"
      [ -z "$1" ] || printf 'HostCertificate %s\n' "$1"
      printf '%s\n' "$end"
      cat "$work/before"
    } >"$work/after"
  }
  printf '%s\n' "$user_ca" >"$own_ca" && chmod 644 "$own_ca" || fail "$own_ca cannot be written"
  write_config ''
  "$sshd" -t -f "$work/after" || fail "sshd would not accept the change of $config; nothing was changed"

  body=$(printf '{"token":"%s","hostname":"%s","address":"%s","port":%s,"public_key":"%s","labels":"%s"}' \
    "$token" "$hostname" "$address" "$port" "$public_key" "$labels")
  set -- -sS -o "$work/answer" -w '%{http_code}' -H 'content-type: application/json' --data-binary "@-"
  [ -z "$curl_pin" ] || set -- "$@" -k --pinnedpubkey "$curl_pin"
  # By its input: arguments of programs are for everybody to see, and the token is in it.
  status=$(printf '%s' "$body" | curl "$@" "$proxy/v1/webapi/hosts/openssh") || fail "the proxy at $proxy could not be reached"
  if [ "$status" != 200 ]; then
    fail "$(sed -n 's/.*"message": *"\(.*\)".*/\1/p' "$work/answer" | head -n 1 | grep . || printf 'the proxy answered %s' "$status")"
  fi
  answer() { sed -n "s/^$1 //p" "$work/answer"; }

  cp -p "$config" "$work/backup"
  [ -f "$config.before-sallyport" ] || cp -p "$config" "$config.before-sallyport"
  if [ -n "$shared_ca" ]; then
    rm -f "$own_ca"
    cp -p "$shared_ca" "$work/ca"
    grep -qxF "$user_ca" "$shared_ca" 2>/dev/null || printf '%s\n' "$user_ca" >>"$shared_ca" || fail "$shared_ca cannot be written"
  fi
  signed=''
  # A host with certificates of its own keeps them: its key is known to the cluster from now on, which is enough.
  if [ -n "$(answer certificate)" ] && [ -z "$(setting hostcertificate)" ]; then
    answer certificate >"$certificate" && chmod 644 "$certificate" && signed=$certificate
  fi
  write_config "$signed"
  replace "$work/after" "$config"
  undo() {
    replace "$work/backup" "$config"
    [ -z "$shared_ca" ] || replace "$work/ca" "$shared_ca"
    fail "$1; $config is as it was. Remove the server again: sallyport rm node/$(answer id)"
  }
  "$sshd" -t -f "$config" || undo 'sshd does not accept the change'
  reload_sshd || undo 'sshd could not be reloaded'
  keep=yes
  if [ -n "${BASH_EXECUTION_STRING:-}" ]; then
    printf '%s\n' "$BASH_EXECUTION_STRING" | sed "s/^token=.*/token=''/" >"$kept" && chmod 755 "$kept"
    say "To take this back: bash $kept --uninstall"
  fi
  say "$hostname is registered with $cluster as $(answer id), at $(answer address)."
}

main "$@"
