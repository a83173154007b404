/** What is said and asked beside the command of each kind. */
import { appName, hostAndPort, resourceName, tcpAddress, webAddress } from '../../parts/validators/enrolment.ts'
import type { Problem } from '../../parts/validators/problem.ts'
import type { Script } from './command.ts'
import type { Tile } from './tiles.ts'

export interface ScriptField {
  /** As the script's address has it. */
  name: string
  label: string
  placeholder: string
  help: string
  whyNot: (value: string) => Problem
}

export interface ScriptForm {
  title: string
  lead: (cluster: string) => string
  fields: readonly ScriptField[]
  /** While a field is not filled in. */
  missing: string
}

const seenFrom = 'As the machine reaches it on which the command is run.'
const agentRuns =
  'It installs an agent that makes nothing else of the machine reachable. Needs Linux, root and outgoing connections to the proxy.'

const app = (address: Omit<ScriptField, 'name' | 'label' | 'help'>): ScriptForm => ({
  title: 'Run this where the application is',
  lead: () => `On its own machine, or on one that reaches it. ${agentRuns}`,
  fields: [
    {
      name: 'name',
      label: 'Name',
      placeholder: 'wiki',
      help: 'It becomes part of the address that people open.',
      whyNot: appName,
    },
    { name: 'uri', label: 'Address', help: seenFrom, ...address },
  ],
  missing: 'Enter name and address to see the command.',
})

const forms: Record<Exclude<Script, 'install-app' | 'install-database'>, ScriptForm> = {
  'install-node': {
    title: 'Run this on the server',
    lead: (cluster) => `It installs the agent, joins it to ${cluster} and starts it. Needs root and outgoing connections to the proxy.`,
    fields: [],
    missing: '',
  },
  'install-openssh': {
    title: 'Run this on the server',
    lead: (cluster) =>
      `It makes the sshd of the machine trust ${cluster}, and installs nothing. Needs root; the proxy has to reach the machine's SSH port.`,
    fields: [],
    missing: '',
  },
  'install-desktop': {
    title: 'Run this near the desktop',
    lead: () => `On a machine that reaches the desktop's RDP port. ${agentRuns}`,
    fields: [
      { name: 'name', label: 'Name', placeholder: 'office', help: 'People will see it.', whyNot: resourceName },
      {
        name: 'addr',
        label: 'Address',
        placeholder: '10.0.0.9',
        help: `${seenFrom} Port 3389 unless you write another.`,
        whyNot: hostAndPort,
      },
    ],
    missing: 'Enter name and address to see the command.',
  },
  'install-kube': {
    title: 'Run this where kubectl is set up',
    lead: () =>
      `On a Linux machine whose kubectl administers the cluster. It makes an account there that may say for whom it asks and nothing else, and an agent with it. Needs root and outgoing connections to the proxy.`,
    fields: [
      {
        name: 'name',
        label: 'Name',
        placeholder: 'prod',
        help: 'People will see it, and kubectl calls its context so.',
        whyNot: resourceName,
      },
    ],
    missing: 'Enter a name to see the command.',
  },
}

export function scriptForms({ id, script }: Pick<Tile, 'id' | 'script'>): ScriptForm {
  if (script === 'install-app' || script === 'install-database')
    return id === 'tcp-app'
      ? app({ placeholder: 'tcp://localhost:6379', whyNot: tcpAddress })
      : app({ placeholder: 'http://localhost:3000', whyNot: webAddress })
  return forms[script]
}
