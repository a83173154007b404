/** `sallyport`: starts a proxy, and asks a running one through its admin socket. */
import { reasonOf } from './command-error.ts'
import { program } from './program.ts'

try {
  await program().parseAsync()
} catch (error) {
  console.error(reasonOf(error))
  process.exitCode = 1
}
