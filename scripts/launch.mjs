/**
 * Entry of every npm script: `node scripts/launch.mjs [--console] <file> [arguments]`.
 *
 * Runs on whatever Node the machine has, with nothing installed. Makes sure that the dependencies, and with
 * `--console` all that is built, are those of this tree, then runs the file on the Node that comes with the
 * dependencies: in this same process when it is already that one, so that a second start pays for one process only.
 *
 * The rest is imported after the version check, so that an old Node meets the sentence and not a syntax error.
 */
const needed = 20

async function launch() {
  if (Number(process.versions.node.split('.')[0]) < needed)
    throw new Error(
      `Sallyport needs Node ${needed} or newer and this is Node ${process.versions.node}: install a newer Node and start again.`,
    )
  const { prepare } = await import('./launch/prepare.mjs')
  const { runFile } = await import('./launch/run.mjs')
  const { builtCommandLine, commandLine, ownNode } = await import('./launch/paths.mjs')
  const given = process.argv.slice(2)
  const withConsole = given[0] === '--console'
  const [file, ...args] = withConsole ? given.slice(1) : given
  await prepare({ console: withConsole })
  // For the process that takes over at a restart: it comes in here again, so that it finds what its code needs.
  if (file === commandLine)
    process.env.SALLYPORT_LAUNCHER = JSON.stringify({ node: ownNode, args: [process.argv[1], ...given.slice(0, given.indexOf(file) + 1)] })
  await runFile(withConsole && file === commandLine ? builtCommandLine : file, args)
}

launch().catch((error) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
