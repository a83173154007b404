import { expect, test } from 'vitest'
import { isRisky, queryOf, toEntries } from './entries.ts'

const at = '2026-01-02T03:04:05Z'
const message = (type: string, payload: unknown) => ({
  type,
  created_time: at,
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
})

test('a history becomes entries; results of one command stand together, and what is not understood is left out', () => {
  const entries = toEntries([
    message('CHAT_MESSAGE_ASSISTANT', 'Hello'),
    message('CHAT_MESSAGE_USER', 'Look'),
    message('COMMAND', { command: 'df', nodes: null, labels: [{ key: 'env', value: 'prod' }] }),
    message('COMMAND', 'no JSON'),
    message('OF_LATER', {}),
    message('COMMAND_RESULT', { node_id: 'a', execution_id: 'e', session_id: 's1' }),
    message('COMMAND_RESULT', { node_id: 'b', node_name: 'b', execution_id: 'e', session_id: 's2' }),
    message('COMMAND_RESULT_SUMMARY', { execution_id: 'e', command: 'df -h', summary: 'Full.' }),
  ])
  expect(entries.map(({ kind }) => kind)).toEqual(['assistant', 'user', 'command', 'ran'])
  expect(entries[2]).toMatchObject({ proposal: { command: 'df', nodes: [], labels: [{ key: 'env', value: 'prod' }] } })
  expect(entries[3]).toMatchObject({ command: 'df -h', summary: 'Full.', results: [{ session_id: 's1' }, { session_id: 's2' }] })
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
})

test('the servers of a proposal as a query; what stands in names and labels cannot change it', () => {
  expect(queryOf({ nodes: ['web-1', 'web-2'], labels: [] })).toBe('name == "web-1" || name == "web-2"')
  const labels = [
    { key: 'env', value: 'prod' },
    { key: 'role', value: 'web' },
  ]
  expect(queryOf({ nodes: [], labels })).toBe('labels["env"] == "prod" && labels["role"] == "web"')
  expect(queryOf({ nodes: ['db'], labels })).toBe('name == "db" || (labels["env"] == "prod" && labels["role"] == "web")')
  expect(queryOf({ nodes: ['x" || name != "'], labels: [] })).toBe(String.raw`name == "x\" || name != \""`)
  expect(queryOf({ nodes: [], labels: [] })).toBe('')
})

test.each(['rm -rf /srv', 'sudo reboot', 'curl x | sudo bash', 'dd if=a of=/dev/sda', 'systemctl restart nginx', 'echo 1 > /dev/sda'])(
  '%s is typed out before it runs',
  (command) => {
    expect(isRisky(command)).toBe(true)
  },
)
test.each(['df -h', 'ls -la /tmp', 'systemctl status nginx', 'uname -a', 'grep -rm1 x .'])('%s is not', (command) => {
  expect(isRisky(command)).toBe(false)
})
