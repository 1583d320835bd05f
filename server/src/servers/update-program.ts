import type { BodyOf, programOperations } from '@signalbox/contract'
import { requireUnchanged } from '../platform/change-scope.ts'
import { refuseChanged } from '../platform/unchanged.ts'
import { changeHosted } from './change-hosted.ts'
import type { Caller, ServerContext } from './context.ts'
import { type ProgramDocument, presentProgram } from './present-program.ts'
import { requireProgramRight } from './programs.ts'

const moving = ['state', 'processes', 'starts', 'failures', 'last_end', 'next_start_at']
const readOnly = [
	...moving,
	'sandbox',
	'sandbox_missing',
	'package',
	'install_error',
	'limits',
	'fingerprint',
	'acceptance_sentence',
	'accepted',
	'accepted_without_sandbox',
]

/** Sets where a program may go; a program that runs is ended and starts with the next request. */
export async function changeProgram(
	servers: ServerContext,
	caller: Caller,
	id: string,
	change: BodyOf<(typeof programOperations)['update']>,
): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.update-program', async (before) => {
		requireProgramRight(servers, caller)
		const shown = presentProgram(servers, before)
		requireUnchanged(shown)
		refuseChanged(change, shown, readOnly, moving)
		const allowed_hosts = change.allowed_hosts ?? shown.allowed_hosts
		return {
			values: { allowed_hosts: JSON.stringify(allowed_hosts) },
			detail: { allowed_hosts },
		}
	})
	return presentProgram(servers, row)
}
