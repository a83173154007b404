/** Something that the viewer does in a dialog of the console. */
export type ConsoleTask =
  | { what: 'paste'; id: string; text: string }
  | { what: 'name'; id: string }
  | { what: 'settings' }
  | { what: 'broadcast' }
  | { what: 'keys' }

/** Keyboards on which Cmd takes the place of Ctrl. */
export const mac = /Mac|iPhone|iPad/.test(navigator.userAgent)
