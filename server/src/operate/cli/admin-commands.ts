import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { openIdentityAdmin } from '../../accounts/identity/index.ts'
import { publicAddress } from '../../config/public-address.ts'
import { isJson } from './config-commands.ts'
import { withControlStore } from './control-store.ts'
import { printResult } from './outcome.ts'

export function addAdminCommands(program: Command): void {
	const admin = program.command('admin').description('Help for people who cannot sign in')
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
		.action(async (_options: object, command: Command) => {
			const link = await withControlStore((access) =>
				openIdentityAdmin(access).createLink(publicAddress(access.config)),
			)
			printResult(isJson(command), { link }, [link])
		})
	addOperatorCommands(admin)
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
