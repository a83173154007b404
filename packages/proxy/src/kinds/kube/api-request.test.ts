import { expect, test } from 'vitest'
import { parseApiRequest } from './api-request.ts'

const read = (method: string, target: string) => {
  const { verb, resource } = parseApiRequest(method, target)
  return resource && [verb, resource.apiGroup, resource.resource, resource.subresource, resource.namespace, resource.name].join(' ')
}

test('paths are read as the API server reads them', () => {
  expect(read('GET', '/api/v1/namespaces/shop/pods/web-1')).toBe('get  pods  shop web-1')
  expect(read('GET', '/api/v1/namespaces/shop/pods?limit=500')).toBe('list  pods  shop ')
  expect(read('GET', '/api/v1/pods?watch=true')).toBe('watch  pods   ')
  expect(read('GET', '/api/v1/namespaces/shop/pods/web-1/log?follow=true')).toBe('get  pods log shop web-1')
  expect(read('GET', '/api/v1/namespaces/shop/pods/web-1/exec?command=sh')).toBe('exec  pods exec shop web-1')
  expect(read('POST', '/api/v1/namespaces/shop/pods/web-1/attach')).toBe('exec  pods attach shop web-1')
  expect(read('DELETE', '/apis/apps/v1/namespaces/shop/deployments')).toBe('deletecollection apps deployments  shop ')
  expect(read('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web/scale')).toBe('patch apps deployments scale shop web')
  expect(read('GET', '/api/v1/namespaces/shop')).toBe('get  namespaces  shop shop')
  expect(read('GET', '/api/v1/nodes/a')).toBe('get  nodes   a')
  expect(read('GET', '/api/v1/nodes/a/proxy/run/shop/web-1/c')).toBe('get  nodes proxy/run/shop/web-1/c  a')
})

test('what is no resource is told by its method', () => {
  for (const path of ['/', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/version', '/openapi/v3', '/readyz'])
    expect(parseApiRequest('GET', path)).toMatchObject({ verb: 'get', resource: undefined })
})

test('a path that could be read in two ways is refused', () => {
  for (const path of [
    '/api/v1/namespaces/shop/../kube-system/pods',
    '/api/v1/namespaces/shop//pods',
    '/api/v1/namespaces/shop%2Fpods/x',
    '/api/v1/namespaces/shop/pods/%2e%2e',
    '/api/v1/namespaces/shop/pods/a%2525',
    '/api/v1/watch/pods',
    '/api/v1/proxy/nodes/a',
    'api/v1/pods',
  ])
    expect(() => parseApiRequest('GET', path), path).toThrow()
  expect(() => parseApiRequest('CONNECT', '/api/v1/pods')).toThrow('is not passed on')
})
