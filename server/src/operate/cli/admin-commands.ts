import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { verifyAudit } from '../../accounts/audit/audit.ts'
import { openIdentityAdmin } from '../../accounts/identity/identity.ts'
import { publicAddress } from '../../config/public-address.ts'
import { askProgram } from '../../platform/local-socket.ts'
import { printWarning } from './answer.ts'
import { isJson } from './config-commands.ts'
import { withControlStore } from './control-store.ts'
import { exitCodes, printResult } from './outcome.ts'
import { counted } from './terminal.ts'

export function addAdminCommands(program: Command): void {
	const admin = program.command('admin').description('Operators, and help for people who cannot sign in')
	admin
		.command('reset-password <email>')
		.description('Set a new password and sign the person out everywhere')
		.option(
			'--password-stdin',
			'read the password from standard input; otherwise one is generated and printed',
		)
		.action(resetPassword)
	admin
		.command('create-link')
		.description('Print a one-time link (15 minutes) that creates an operator')
		.action(createLink)
	addOperatorCommands(admin)
}

async function createLink(_options: object, command: Command): Promise<void> {
	const { link, isAssumed } = await withControlStore(async (access) => {
		const running = await runningAddress(access.config.dataDir)
		const address = running ?? publicAddress(access.config)
		const isAssumed = running === null && access.config.PUBLIC_URL === null
		return { link: await openIdentityAdmin(access).createLink(address), isAssumed }
	})
	printResult(isJson(command), { link }, [link])
	if (isAssumed)
		printWarning(
			command,
			`No program runs on this data directory, so ${new URL(link).origin} is what the settings of this shell say. If Signalbox runs elsewhere, replace it in the link.`,
		)
}

/** The address of the program that runs on this data directory. Null if none does, or one that is older than this question. */
async function runningAddress(dataDir: string): Promise<string | null> {
	try {
		return (await askProgram<string>(dataDir, 'address', {}))?.result ?? null
	} catch {
		return null
	}
}

function addOperatorCommands(admin: Command): void {
	admin
		.command('grant-operator <email>')
		.description('Make a person an operator of the instance')
		.action((email: string, _options: object, command: Command) => changeOperator(email, true, command))
	admin
		.command('revoke-operator <email>')
		.description('Remove the operator role from a person; the last operator stays')
		.action((email: string, _options: object, command: Command) => changeOperator(email, false, command))
	admin
		.command('list-operators')
		.description('List the operators of the instance')
		.action(async (_options: object, command: Command) => {
			const operators = await withControlStore((access) => openIdentityAdmin(access).listOperators())
			printResult(
				isJson(command),
				{ operators },
				operators.map(({ email }) => email),
			)
		})
}

async function changeOperator(email: string, operator: boolean, command: Command): Promise<void> {
	const changed = await withControlStore((access) =>
		openIdentityAdmin(access).changeOperator(email, operator),
	)
	const state = operator ? 'an operator' : 'no operator'
	printResult(isJson(command), { email, operator, changed }, [
		changed ? `${email} is now ${state}.` : `${email} was ${state} already.`,
	])
}

async function resetPassword(
	email: string,
	options: { passwordStdin?: true },
	command: Command,
): Promise<void> {
	const given = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : null
	const password = given ?? randomBytes(15).toString('base64url')
	await withControlStore((access) => openIdentityAdmin(access).resetPassword(email, password))
	const shown = given === null ? { password } : {}
	const lines =
		given === null ? [`New password of ${email}: ${password}`] : [`The password of ${email} was changed.`]
	printResult(isJson(command), { email, ...shown }, lines)
}

export function addAuditCommands(program: Command): void {
	const audit = program.command('audit').description('The audit log')
	audit
		.command('verify')
		.description(
			'Recompute the chain of every workspace; fails at the first record that was changed or removed',
		)
		.action(async (_options: object, command: Command) => {
			const report = await withControlStore(({ store, sealer }) => verifyAudit(store, sealer))
			const { bad } = report
			const lines = bad
				? [
						bad.seq === 0
							? `NOT INTACT: ${bad.reason}.`
							: `NOT INTACT: record ${bad.seq} of workspace ${bad.workspaceId} (${bad.id ?? 'no id'}) ${bad.reason}.`,
					]
				: [
						`All is intact: ${counted(report.records, 'record')} in ${counted(report.heads.length, 'chain')}.`,
						...report.heads.map(toLine),
					]
			const { intact, records, heads } = report
			const document = { intact, records, heads: heads.map(toDocument), bad: bad && toDocument(bad) }
			printResult(isJson(command), document, lines)
			if (!intact) process.exitCode = exitCodes.failed
		})
}

/** Documents name their members as the API does. */
function toDocument<T extends { workspaceId: string }>({ workspaceId, ...others }: T) {
	return { workspace_id: workspaceId, ...others }
}

/** A head stored elsewhere later proves that the chain was not truncated. */
function toLine({ workspaceId, seq, chain }: { workspaceId: string; seq: number; chain: string }): string {
	return `  ${workspaceId}  ${seq}  ${chain}`
}
