import { Problem } from '../platform/errors.ts'
import { changeHosted } from './change-hosted.ts'
import type { Caller, ServerContext } from './context.ts'
import { type ProgramDocument, presentProgram } from './present-program.ts'
import { requireProgramRight } from './programs.ts'

/** Ends a program in every process that runs it; it starts with the next request, without waiting after failures. */
export async function restartProgram(
	servers: ServerContext,
	caller: Caller,
	id: string,
): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.restart-program', async (before) => {
		requireProgramRight(servers, caller)
		if (before.status !== 'active')
			throw new Problem(
				'conflict',
				`A program is started anew while its server is active; it is ${before.status}.`,
			)
		return { values: { restarted_at: servers.clock.nowMs() }, detail: {} }
	})
	return presentProgram(servers, row)
}
