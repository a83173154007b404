import { Alert } from '../ui/Alert.tsx'
import type { AlertProps } from '../ui/Alert.tsx'
import { Focused } from './Focused.tsx'

/** An alert above a form that takes the focus when it appears. */
export const FocusedAlert = (props: AlertProps) => (
  <Focused>
    <Alert {...props} />
  </Focused>
)
