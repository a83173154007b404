import { expect, test } from 'vitest'
import { connectionDiagnosticWire, toConnectionDiagnostic } from './connection-diagnostic.ts'

const read = (wire: object) => toConnectionDiagnostic(connectionDiagnosticWire.parse(wire))

test('R3-120: the status of a trace is lowercased; what a peer leaves out is empty', () => {
  const traces = [
    { traceType: 'RBAC_NODE', status: 'SUCCESS', details: 'fine' },
    { traceType: 'CONNECTIVITY', status: 'FAILED', details: 'check it', error: 'refused' },
  ]
  expect(read({ id: 'x', success: false, message: 'failed', traces })).toEqual({
    id: 'x',
    success: false,
    message: 'failed',
    traces: [
      { traceType: 'RBAC_NODE', status: 'success', details: 'fine', error: '' },
      { traceType: 'CONNECTIVITY', status: 'failed', details: 'check it', error: 'refused' },
    ],
  })
  expect(read({ id: 'x' })).toEqual({ id: 'x', success: false, message: '', traces: [] })
  expect(read({ id: 'x', traces: null }).traces).toEqual([])
})
