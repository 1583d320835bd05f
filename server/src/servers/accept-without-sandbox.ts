import { changeHosted } from './change-hosted.ts'
import type { Caller, ServerContext } from './context.ts'
import { acceptanceSentence, type ProgramDocument, presentProgram } from './present-program.ts'
import type { Acceptance } from './program-spec-of.ts'
import { malformed, requireProgramRight } from './programs.ts'

/** An owner's word that a program may run where there is no sandbox; throws `invalid_request` for any other words. */
export async function acceptWithoutSandbox(
	servers: ServerContext,
	caller: Caller,
	id: string,
	sentence: string,
): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.accept-without-sandbox', async (before) => {
		requireProgramRight(servers, caller.workspaceId)
		if (sentence !== acceptanceSentence(before))
			throw malformed('/sentence', `is not the sentence: ${acceptanceSentence(before)}`)
		const { id: by, name } = caller.actor
		const acceptance: Acceptance = { by: by ?? '', name, at: servers.clock.nowMs(), sentence }
		const program = { command: before.command, args: JSON.parse(before.args) as string[] }
		return { values: { unsandboxed: JSON.stringify(acceptance) }, detail: { sentence, ...program } }
	})
	return presentProgram(servers, row)
}

export async function withdrawAcceptance(servers: ServerContext, caller: Caller, id: string): Promise<void> {
	await changeHosted(servers, caller, id, 'servers.withdraw-acceptance', async () => ({
		values: { unsandboxed: null },
		detail: {},
	}))
}
