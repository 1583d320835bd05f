import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { openTestPrograms, specOf } from './testing.ts'

// A host of programs that a test kills: one program in a sandbox, if there is one, and one without; each with a child.
const [, , mark = ''] = process.argv
const boxed = openTestPrograms({ clock: systemClock, log: silentLog })
const free = openTestPrograms({ sandbox: null })
free.specs.set('one', specOf('one', { accepted: 'without a sandbox' }))
for (const programs of boxed.sandbox().kind === 'none' ? [free] : [boxed, free]) {
	const client = programs.client()
	await client.initialize()
	await client.call('child', { mark })
}
process.stdout.write('ready\n')
