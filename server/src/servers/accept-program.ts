import { Problem } from '../platform/errors.ts'
import { changeHosted } from './change-hosted.ts'
import type { Caller, ServerContext } from './context.ts'
import { acceptanceSentence, judgedProgram, type ProgramDocument, presentProgram } from './present-program.ts'
import type { Acceptance } from './program-spec-of.ts'
import { malformed, requireProgramRight } from './programs.ts'

/** Somebody's word that a program may start as it is now; throws `invalid_request` for any other words. */
export async function acceptProgram(
	servers: ServerContext,
	caller: Caller,
	id: string,
	sentence: string,
): Promise<ProgramDocument> {
	const withoutSandbox = servers.programs.sandbox().kind === 'none'
	const row = await changeHosted(servers, caller, id, 'servers.accept-without-sandbox', async (before) => {
		requireProgramRight(servers, caller)
		if (withoutSandbox && !caller.isOwner)
			throw new Problem(
				'forbidden',
				'There is no sandbox here: only an owner of the workspace, in person, accepts that a program runs without one.',
			)
		if (before.status === 'deploying')
			throw new Problem(
				'conflict',
				'Its package is being installed, and is part of what is accepted. Try again when it is.',
			)
		if (sentence !== acceptanceSentence(servers, before))
			throw malformed('/sentence', `is not the sentence: ${acceptanceSentence(servers, before)}`)
		const { fingerprint } = judgedProgram(servers, before)
		if (fingerprint === '')
			throw new Problem(
				'conflict',
				'Its stored environment does not open with this master key. Set it again.',
			)
		const { id: by, name } = caller.actor
		const word = { by: by ?? '', name, at: servers.clock.nowMs(), sentence }
		const acceptance: Acceptance = { ...word, fingerprint, withoutSandbox }
		const program = { command: before.command, args: JSON.parse(before.args) as string[] }
		return {
			// The first check starts it, and is made at once.
			values: { unsandboxed: JSON.stringify(acceptance), health_status: 'unknown', failures: 0 },
			detail: { sentence, fingerprint, without_sandbox: withoutSandbox, ...program },
		}
	})
	return presentProgram(servers, row)
}

export async function withdrawAcceptance(servers: ServerContext, caller: Caller, id: string): Promise<void> {
	await changeHosted(servers, caller, id, 'servers.withdraw-acceptance', async () => ({
		values: { unsandboxed: null },
		detail: {},
	}))
}
