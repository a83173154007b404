import { Copy, Ellipsis, Lock, SquareTerminal, Upload } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { confirm } from '../ui/confirm.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { EditorColumn, EditorPanel } from '../ui/EditorPanel.tsx'
import { Menu } from '../ui/Menu.tsx'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { Popover } from '../ui/Popover.tsx'
import { SidePanel } from '../ui/SidePanel.tsx'
import { TextField } from '../ui/TextField.tsx'
import { toasts } from '../ui/toast.ts'
import { Group, Section } from './Section.tsx'

const entries: readonly MenuEntry[] = [
  { heading: 'Server' },
  { label: 'Connect', icon: SquareTerminal, end: '↵', run: () => undefined },
  { label: 'Copy name', icon: Copy, run: () => undefined },
  { label: 'Upload', icon: Upload, whyNot: 'Your roles do not allow it', run: () => undefined },
  { separator: true },
  { label: 'Lock…', icon: Lock, danger: true, run: () => undefined },
]

/** Menus, popovers, dialogs, panels, toasts. */
export function LayerPieces() {
  const [dialog, setDialog] = useState(false)
  const [panel, setPanel] = useState(false)
  const [editor, setEditor] = useState(false)
  const ask = (far: boolean) =>
    confirm({
      title: 'Delete user jonas.lindqvist?',
      body: 'jonas.lindqvist loses access to this cluster. Sessions that are open now stay open until their certificate ends.',
      action: 'Delete user',
      danger: true,
      ...(far && { typeToConfirm: { label: 'Type the username to confirm', text: 'jonas.lindqvist' } }),
      run: () => void toasts.show({ title: 'User deleted', body: 'jonas.lindqvist cannot sign in any more.' }),
    })
  return (
    <Section title="Layers" note="Elevated, 4 px inset, 16 px from the window edge.">
      <Group title="Menu, popover">
        <Menu trigger={<Button iconEnd={Ellipsis}>Menu</Button>} entries={entries} align="start" />
        <Popover label="Find cluster" padded width={280} trigger={<Button>Popover</Button>}>
          <TextField label="Cluster" placeholder="Find cluster…" />
        </Popover>
      </Group>
      <Group title="Dialog, confirm, panel">
        <Button onClick={() => setDialog(true)}>Dialog</Button>
        <Button kind="danger-quiet" onClick={() => ask(false)}>
          Delete…
        </Button>
        <Button kind="danger-quiet" onClick={() => ask(true)}>
          Delete, typed…
        </Button>
        <Button onClick={() => setPanel(true)}>Side panel</Button>
        <Button onClick={() => setEditor(true)}>Editor panel</Button>
      </Group>
      <Group title="Toasts">
        <Button
          onClick={() =>
            toasts.show({ title: 'Lock removed', body: 'dmitri.k can sign in again.', action: { label: 'Undo', run: () => undefined } })
          }
        >
          Good news
        </Button>
        <Button onClick={() => toasts.show({ kind: 'danger', title: 'Could not copy', body: 'The browser did not allow it.' })}>
          Bad news
        </Button>
      </Group>
      <Dialog
        open={dialog}
        onClose={() => setDialog(false)}
        title="New join token"
        width={500}
        footer={
          <>
            <Button kind="primary" onClick={() => setDialog(false)}>
              Create token
            </Button>
            <Button onClick={() => setDialog(false)}>Cancel</Button>
          </>
        }
      >
        <p className="t2">Machines that hold this token may join the cluster until it ends.</p>
        <TextField label="Name" required />
      </Dialog>
      {editor && (
        <EditorPanel
          title="payments-oncall"
          note="Edited, not saved"
          actions={<Button kind="primary">Save role</Button>}
          onClose={() => setEditor(false)}
        >
          <EditorColumn label="Form">
            <TextField label="Name" defaultValue="payments-oncall" />
          </EditorColumn>
          <EditorColumn label="YAML" ground="code" head={<span className="mono sm">payments-oncall.yaml</span>}>
            <pre className="mono">kind: role</pre>
          </EditorColumn>
          <EditorColumn label="Preview" head={<h3>Who gains or loses</h3>}>
            <p className="t2">Nobody.</p>
          </EditorColumn>
        </EditorPanel>
      )}
      <SidePanel
        open={panel}
        onClose={() => setPanel(false)}
        title="Access Denied"
        footer={
          <Button kind="primary" onClick={() => setPanel(false)}>
            Save role
          </Button>
        }
      >
        Details of an event.
      </SidePanel>
    </Section>
  )
}
