/**
 * What bpftrace runs in the kernel. A program belongs to a session when its control group lies in one of the given groups, or
 * when a parent of it did: `su -` and the like move programs to groups of their own.
 *
 * Lines, fields apart by spaces, what programs chose in hexadecimal:
 *   `E group pid ppid length comm`, `P pid path`, `A pid arguments`, `X pid`: a program began; P and A in pieces
 *   `N group pid from to port comm`: a connection is being made
 *   `B group tid flags comm`, `P tid path`, `O tid result pid`: a file was opened
 *   `F group`: a control group was made; `@lost[group]: count`: what was left out because it was too much
 */

/** Bytes of a text that one line holds; what the kernel's stack has room for. */
export const pieceLength = 160
/** Longest list of arguments that is told, in pieces. */
const argumentPieces = 40
const pathPieces = 10
/** Of one session in a second. */
const limits = { command: 1000, disk: 500, network: 250 } as const

/** Sets `$s` to the session's group, or 0. A group's own groups count, four levels down. */
const findGroup = (parents: readonly bigint[]): string => `
  $c = curtask->cgroups->dfl_cgrp; $s = (uint64)0;
  unroll(4) {
    $p = $c->self.parent->cgroup; $i = $p->kn->id;
    if ($s == 0 && (${parents.map((id) => `$i == ${id}`).join(' || ')})) { $s = $c->kn->id; }
    $c = $p;
  }`
const findSession = (parents: readonly bigint[]): string => `${findGroup(parents)}
  if ($s == 0) { $s = @s[pid]; }`

/** Leaves when the session did too much of it in this second. */
const limited = (kind: keyof typeof limits): string => `
    $k = nsecs / 1000000000;
    if (@second_${kind}[$s] != $k) { @second_${kind}[$s] = $k; @number_${kind}[$s] = (uint64)0; }
    @number_${kind}[$s] = @number_${kind}[$s] + 1;
    if (@number_${kind}[$s] > ${limits[kind]}) { @lost[$s] = count(); return; }`

const forget = (kinds: readonly (keyof typeof limits)[]): string =>
  kinds.map((kind) => `delete(@second_${kind}[args->id]); delete(@number_${kind}[args->id]);`).join(' ')

/** Following what forks comes first: it gives the map its type. */
const family = (parents: readonly bigint[]): string => `
tracepoint:sched:sched_process_fork {${findGroup(parents)}
  if ($s != 0) { @s[args->child_pid] = $s; }
  else { $r = @s[pid]; if ($r != 0) { @s[args->child_pid] = $r; } }
}
tracepoint:sched:sched_process_exit { delete(@s[tid]); }
`

const bookkeeping = (kinds: readonly (keyof typeof limits)[]): string => `
tracepoint:cgroup:cgroup_rmdir { delete(@lost[args->id]); ${forget(kinds)} }
tracepoint:cgroup:cgroup_mkdir { printf("F %llu\\n", args->id); print(@lost); }
interval:s:1 { print(@lost); }
`

/** The whole of a path that the kernel holds. What follows the end of the last piece is garbage. */
const kernelPath = (pointer: string): string => `
    $f = ${pointer}; $more = 1; $j = 0;
    while ($j < ${pathPieces}) {
      if ($more != 0) { printf("P %d %rh\\n", pid, buf($f, ${pieceLength})); $more = *(uint8 *)($f + ${pieceLength - 1}); }
      $f += ${pieceLength}; $j++;
    }`

const commands = (parents: readonly bigint[]): string => `
tracepoint:sched:sched_process_exec {${findSession(parents)}
  if ($s != 0) {${limited('command')}
    $a = curtask->mm->arg_start; $e = curtask->mm->arg_end;
    printf("E %llu %d %d %d %rh\\n", $s, pid, curtask->real_parent->tgid, $e - $a, buf(curtask->comm, 16));${kernelPath('args->filename')}
    $j = 0;
    while ($j < ${argumentPieces}) {
      if ($a < $e) {
        $l = $e - $a;
        if ($l > ${pieceLength}) { $l = ${pieceLength}; }
        printf("A %d %rh\\n", pid, buf(uptr($a), $l));
      }
      $a += ${pieceLength}; $j++;
    }
    printf("X %d\\n", pid);
  }
}
`

/** TCP_SYN_SENT is entered by the program that connects, in its own name. */
const connections = (parents: readonly bigint[]): string => `
tracepoint:sock:inet_sock_set_state /args->newstate == 2/ {${findSession(parents)}
  if ($s != 0) {${limited('network')}
    if (args->family == 2) {
      printf("N %llu %d %s %s %d %rh\\n", $s, pid, ntop(2, args->saddr), ntop(2, args->daddr), args->dport, buf(curtask->comm, 16));
    } else {
      printf("N %llu %d %s %s %d %rh\\n", $s, pid, ntop(10, args->saddr_v6), ntop(10, args->daddr_v6), args->dport, buf(curtask->comm, 16));
    }
  }
}
`

/**
 * Read when the call is over: then the pages that hold the path are there. Programs look for files in many places; what is
 * not there (ENOENT, ENOTDIR) was not opened. The pieces are strings, so that none is read beyond its end.
 */
const opens = (parents: readonly bigint[], calls: readonly string[]): string => {
  const enter = (call: string, flags: string): string => `
tracepoint:syscalls:sys_enter_${call} {${findSession(parents)}
  if ($s != 0) { @of[tid] = $s; @path[tid] = args->${call === 'creat' ? 'pathname' : 'filename'}; @flags[tid] = (uint64)${flags}; }
}
`
  const leave = (call: string): string => `
tracepoint:syscalls:sys_exit_${call} {
  $s = @of[tid];
  if ($s != 0) {
    $u = @path[tid]; $g = @flags[tid]; delete(@of[tid]); delete(@path[tid]); delete(@flags[tid]);
    if (args->ret != -2 && args->ret != -20) {${limited('disk')}
      printf("B %llu %d %llu %rh\\n", $s, tid, $g, buf(curtask->comm, 16));
      $more = (uint8)1;
      unroll(${pathPieces}) {
        if ($more != 0) { $h = str($u); printf("P %d %rh\\n", tid, buf($h, ${pieceLength})); $more = *(uint8 *)uptr($u + ${pieceLength - 2}); }
        $u += ${pieceLength - 1};
      }
      printf("O %d %d %d\\n", tid, args->ret, pid);
    }
  }
}
`
  const flagsOf: Record<string, string> = { openat2: 'args->how->flags', creat: '577' }
  // Who is killed within the call does not come back from it, and its number is given to somebody else.
  const die = `
tracepoint:sched:sched_process_exit { delete(@of[tid]); delete(@path[tid]); delete(@flags[tid]); }
`
  return calls.map((call) => enter(call, flagsOf[call] ?? 'args->flags') + leave(call)).join('') + die
}

export const openCalls = ['openat', 'open', 'openat2', 'creat'] as const

export const programScript = (parents: readonly bigint[], has: { network: boolean }): string =>
  family(parents) +
  commands(parents) +
  (has.network ? connections(parents) : '') +
  bookkeeping(has.network ? ['command', 'network'] : ['command'])

export const fileScript = (parents: readonly bigint[], calls: readonly string[]): string =>
  family(parents) + opens(parents, calls) + bookkeeping(['disk'])
