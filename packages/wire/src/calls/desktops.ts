import * as z from 'zod/mini'
import { call, rule } from '../call.ts'
import { desktopServiceWire, desktopWire } from '../entities/desktop.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { clusterParams } from './clusters.ts'

/** Sortable by name, address (`addr` is an alias). */
export const desktops = call({
  id: 'desktops.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/desktops',
  allow: rule('windows_desktop', 'list'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(desktopWire),
})

const desktopParams = z.extend(clusterParams, { desktopName: z.string().check(z.minLength(1), z.maxLength(255)) })

export const desktop = call({
  id: 'desktops.get',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/desktops/{desktopName}',
  allow: rule('windows_desktop', 'read'),
  params: desktopParams,
  out: desktopWire,
})

/** Whether somebody is connected. */
export const desktopActive = call({
  id: 'desktops.active',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/desktops/{desktopName}/active',
  allow: rule('windows_desktop', 'read'),
  params: desktopParams,
  out: z.object({ active: z.boolean() }),
})

export const desktopServices = call({
  id: 'desktops.services',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/desktopservices',
  allow: rule('windows_desktop_service', 'list'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(desktopServiceWire),
})
