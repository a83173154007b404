/** Parts of the console that the first terminal does not need. */
const extras = {
  dialogs: () => import('./ConsoleDialogs.tsx'),
  tabMenu: () => import('./TabMenu.tsx'),
  menu: () => import('./ConsoleMenu.tsx'),
  latency: () => import('./Latency.tsx'),
  latencyPopover: () => import('./LatencyPopover.tsx'),
  find: () => import('./FindBox.tsx'),
  people: () => import('./PeopleButton.tsx'),
  blank: () => import('./BlankDocument.tsx'),
  notices: () => import('./SessionNotices.tsx'),
  proof: () => import('./ProofBar.tsx'),
  note: () => import('./PartyNote.tsx'),
  broadcast: () => import('./BroadcastBar.tsx'),
  transfer: () => import('./transfer/TransferPanel.tsx'),
  transfers: () => import('./transfer/page-transfers.ts'),
  transferDrop: () => import('./transfer/TransferDrop.tsx'),
  transferPill: () => import('./transfer/TransferPill.tsx'),
  close: () => import('./close-tabs.ts'),
}

/** How long after its first terminal the console fetches them unasked (ms). */
const fetchAfter = 5_000

/** Fetches them while the proxy can be reached: when it is gone, they are needed all the same. Answers how to call it off. */
export function fetchExtras(): () => void {
  const timer = setTimeout(() => void Promise.allSettled(Object.values(extras).map((load) => load())), fetchAfter)
  return () => clearTimeout(timer)
}
