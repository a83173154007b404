/** Whether the kernel of this machine can be asked what programs do. It really is asked, without anything of ours. */
import { spawnSync } from 'node:child_process'
import { whyNoProgram } from './programs.ts'

const probe = `
[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing || exit 1
[ -d /sys/kernel/tracing/events/syscalls ] && echo has files
grep -q " - cgroup2 cgroup2 rw" /proc/self/mountinfo || exit 1
bpftrace -e 'tracepoint:sched:sched_process_exec /curtask->cgroups->dfl_cgrp->kn->id != 0/ { printf("seen\\n"); }' > "$1" 2>&1 &
for round in $(seq 300); do
  /bin/true
  grep -q seen "$1" && echo works && break
  kill -0 $! 2>/dev/null || break
  sleep 0.1
done
kill -KILL $!
rm -f "$1"`

/** Why tests are skipped, those about programs and those about files that they open. */
export function whyNoTracing(): { programs?: string; files?: string } {
  const absent = whyNoProgram('bpftrace') ?? (process.getuid?.() === 0 ? undefined : 'only root can listen to the kernel')
  if (absent !== undefined) return { programs: absent, files: absent }
  const out = `/tmp/sallyport-probe-${process.pid}`
  const { stdout } = spawnSync('unshare', ['--mount', 'bash', '-c', probe, 'probe', out], {
    encoding: 'utf8',
    env: { ...process.env, LANG: 'C' },
  })
  if (!stdout.includes('works')) return { programs: 'bpftrace does not work here', files: 'bpftrace does not work here' }
  return stdout.includes('has files') ? {} : { files: 'the kernel has no events for system calls' }
}
