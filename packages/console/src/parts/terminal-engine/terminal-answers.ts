/**
 * What the terminal itself says to the program: answers to its questions about position, colours or modes. Anybody
 * whose text is printed can ask, so an answer must not be able to press Enter, carry words of the asker, or flood.
 */
import type { IParser } from '@xterm/xterm'

/** One report of known form: a control sequence, or a string sequence that ends as such. */
const plainAnswer = /^\u001b(?:\[[\u0020-\u007e]{1,64}|[\]P][\u0020-\u007e]{1,128}\u001b\\)$/
/** Answers within a window of time; programs ask a few when they start. */
const burst = { answers: 64, per: 1000 } as const

const questions = {
  csi: [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { prefix: '>', final: 'q' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { final: 't' },
    { final: 'x' },
    { prefix: '?', final: 'u' },
  ],
  dcs: [
    { intermediates: '$', final: 'q' },
    { intermediates: '+', final: 'q' },
  ],
  osc: [4, 10, 11, 12],
} as const

export interface AnswerWatch {
  /** Whether what the emulator says right now answers a question in the output, instead of coming from the viewer. */
  isAnswering(): boolean
  /** Whether such an answer may go to the program. */
  mayAnswer(text: string): boolean
}

/**
 * Notices questions as they are parsed, and leaves their handling to the emulator. The emulator answers within the
 * task that parses the question; whatever a person does is another task.
 */
export function watchAnswers(parser: IParser, now: () => number = () => performance.now()): AnswerWatch {
  let answering = false
  let since = -Infinity
  let count = 0
  const notice = (): false => {
    if (!answering) {
      answering = true
      queueMicrotask(() => (answering = false))
    }
    return false
  }
  for (const id of questions.csi) parser.registerCsiHandler(id, notice)
  for (const id of questions.dcs) parser.registerDcsHandler(id, notice)
  for (const id of questions.osc) parser.registerOscHandler(id, notice)
  return {
    isAnswering: () => answering,
    mayAnswer(text) {
      if (!plainAnswer.test(text)) return false
      if (now() - since > burst.per) {
        since = now()
        count = 0
      }
      count += 1
      return count <= burst.answers
    },
  }
}

/** What the emulator says because of the pointer or the focus: it concerns one screen, so no other terminal gets it. */
export const isOwnReport = (text: string): boolean => /^\u001b\[(?:[IO]$|<[\d;]+[Mm]$|M)/.test(text)
