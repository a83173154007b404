/** The application, in a process of its own. Tells its address. */
import { startWebApp } from '@sallyport/testkit/targets/web-app.ts'

const app = await startWebApp()
process.send?.(app.uri)
process.once('disconnect', () => process.exit())
