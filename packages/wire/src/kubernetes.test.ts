import { expect, test } from 'vitest'
import { podPlace, readPodPlace } from './kubernetes.ts'

test('a place in a pod survives its way through an address, and a server is none', () => {
  const place = { cluster: 'dev', namespace: 'shop', pod: 'web-1', container: '', command: '/bin/sh' }
  expect(readPodPlace(podPlace(place))).toEqual(place)
  const other = { ...place, container: 'main', command: 'sh -c "a:b"' }
  expect(readPodPlace(podPlace(other))).toEqual(other)
  for (const server of ['web-1', 'web-1:22', 'kube', 'kube:22', '0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f'])
    expect(readPodPlace(server), server).toBeUndefined()
})
