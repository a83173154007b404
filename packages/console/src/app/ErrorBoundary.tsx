import { Component } from 'react'
import type { ReactNode } from 'react'
import { ScreenError } from '../screens/fallback/ScreenError.tsx'

interface Props {
  children: ReactNode
  inPage?: boolean
  /** Where this is; somewhere else what failed here is forgotten. */
  place?: string
}

interface State {
  error: unknown
  failed: boolean
  place: string | undefined
}

/** Shows what a screen threw, with a way to try again, in place of the screen. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, failed: false, place: this.props.place }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, failed: true }
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { error: undefined, failed: false, place }
  }

  override render(): ReactNode {
    const { error, failed } = this.state
    return failed ? (
      <ScreenError error={error} inPage={this.props.inPage ?? false} retry={() => this.setState({ error: undefined, failed: false })} />
    ) : (
      this.props.children
    )
  }
}
