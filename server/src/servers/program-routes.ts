import { type BodyOf, programOperations } from '@signalbox/contract'
import { requireUnchanged } from '../platform/change-scope.ts'
import { toIso } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import { type BoundOperation, bind } from '../platform/http/index.ts'
import { refuseChanged } from '../platform/unchanged.ts'
import {
	acceptanceSentence,
	changeHosted,
	hostedOrNotFound,
	judgedProgram,
	type ProgramDocument,
	presentProgram,
	requestInstall,
} from './install-program.ts'
import type { Acceptance } from './program-spec-of.ts'
import { malformed, requireProgramRight } from './programs.ts'
import { type Caller, callerOf, type ServerContext } from './server-context.ts'

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
async function changeProgram(
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

export function programRoutes(servers: ServerContext): BoundOperation[] {
	const { db } = servers.store
	return bind(programOperations, {
		get: async ({ params, context }) =>
			presentProgram(servers, await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)),
		update: ({ params, body, context }) => changeProgram(servers, callerOf(context), params.id, body),
		logs: async ({ params, query, context }) => {
			const { id } = await hostedOrNotFound(db, callerOf(context).workspaceId, params.id)
			const lines = servers.programs.logsOf(id, query.limit)
			return { lines: lines.map(({ atMs, stream, text }) => ({ at: toIso(atMs), stream, text })) }
		},
		accept: ({ params, body, context }) =>
			acceptProgram(servers, callerOf(context), params.id, body.sentence),
		withdraw: async ({ params, context }) =>
			void (await withdrawAcceptance(servers, callerOf(context), params.id)),
		restart: ({ params, context }) => restartProgram(servers, callerOf(context), params.id),
		install: ({ params, context }) => requestInstall(servers, callerOf(context), params.id),
	})
}

/** Somebody's word that a program may start as it is now; throws `invalid_request` for any other words. */
async function acceptProgram(
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

async function withdrawAcceptance(servers: ServerContext, caller: Caller, id: string): Promise<void> {
	await changeHosted(servers, caller, id, 'servers.withdraw-acceptance', async () => ({
		values: { unsandboxed: null },
		detail: {},
	}))
}

/** Ends a program in every process that runs it; it starts with the next request, without waiting after failures. */
async function restartProgram(servers: ServerContext, caller: Caller, id: string): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.restart-program', async (before) => {
		requireProgramRight(servers, caller)
		if (before.status !== 'active')
			throw new Problem(
				'conflict',
				`A program is restarted while its server is active; it is ${before.status}.`,
			)
		return { values: { restarted_at: servers.clock.nowMs() }, detail: {} }
	})
	return presentProgram(servers, row)
}
