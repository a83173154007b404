import { useId, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { FocusedAlert } from '../FocusedAlert.tsx'
import { useAction } from '../use-action.ts'
import { Frame, madeIn } from './Made.tsx'
import type { MadeProps } from './Made.tsx'

export interface MakeOnceProps<T> extends Pick<MadeProps, 'panel' | 'width' | 'title' | 'onClose'> {
  /** On the button that makes it. */
  action: string
  danger?: boolean
  cancel?: string
  /** In place of that button. */
  instead?: ReactNode
  /** What is said, with the reason, when it fails. */
  failed: string
  /** Whether everything is filled in; once that was asked, the fields say what is not. */
  isReady?: boolean
  /** What comes of it is lost unless it is shown: nothing that may fail can follow the making. */
  make: () => Promise<T>
  show: (made: T) => Pick<MadeProps, 'title' | 'actions' | 'children'>
  children: (form: { busy: boolean; checked: boolean }) => ReactNode
}

/** Makes something and shows its secret or link, this once. While it is being made nothing closes the dialog. */
export function MakeOnce<T extends object>(props: MakeOnceProps<T>) {
  const { panel, width, title, action, danger, cancel = 'Cancel', instead, failed, isReady = true, make, show, children, onClose } = props
  const id = useId()
  const [checked, setChecked] = useState(false)
  const [made, setMade] = useState<T>()
  const { busy, error, start } = useAction(async () => setMade(await make()))
  if (made) {
    // In the same frame, so that it neither opens again nor gives the focus back.
    const shown = show(made)
    return <Frame panel={panel} width={width} title={shown.title} onClose={onClose} {...madeIn({ ...shown, onClose })} />
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    if (isReady) start()
  }
  return (
    <Frame
      panel={panel}
      width={width}
      title={title}
      onClose={() => !busy && onClose()}
      footer={
        <>
          {instead || (
            <Button key="make" kind={danger ? 'danger' : 'primary'} type="submit" form={id} busy={busy}>
              {action}
            </Button>
          )}
          <Button disabled={busy} onClick={onClose}>
            {cancel}
          </Button>
        </>
      }
    >
      <form id={id} className="col gap3" noValidate onSubmit={submit}>
        {error && (
          <FocusedAlert key={error.message} kind="danger" title={failed}>
            {error.message}
          </FocusedAlert>
        )}
        {children({ busy, checked })}
      </form>
    </Frame>
  )
}
