import { resolve } from 'node:path'
import type { Command } from 'commander'
import { answer } from '../answer.ts'
import { urlOf } from '../connection.ts'
import { type Plan, planFor } from './plan.ts'
import { type Project, readProject } from './project.ts'
import { readSource, type Source } from './source.ts'

/** Shows what to put where; it changes nothing. */
export function showInstrument(folder: string | undefined, _options: object, command: Command): void {
	const at = resolve(folder ?? '.')
	const project = readProject(at)
	const source = readSource(at, project)
	const plan = planFor(project, source, urlOf(command))
	const { language, sdk, version } = project
	const found = { language, sdk, version, file: source.server?.file ?? null, transports: source.transports }
	answer(command, { ...found, ...plan }, linesOf(project, source, plan))
}

function linesOf(project: Project, source: Source, plan: Plan): string[] {
	return [
		headOf(project, source),
		...plan.warnings.map((warning) => `! ${warning}`),
		'',
		`Install:\n  ${plan.install}`,
		'',
		...changeOf(plan),
		'Set where it runs (`signalbox api POST /v1/ingest-tokens \'{"name":"sdk"}\' --get token` makes a token):',
		...Object.entries(plan.environment).map(([name, value]) => `  ${name}=${value}`),
		'',
		`Or leave the code as it is${project.language === 'python' ? ' (pip install "signalbox-sdk[auto]")' : ''}:`,
		`  ${plan.without_change}`,
	]
}

function headOf({ sdk, version }: Project, { server, transports }: Source): string {
	const over = transports.length > 0 ? ` over ${transports.join(' and ')}` : ''
	return `A server of ${sdk}${version ? ` ${version}` : ''}${over}${server ? `, made in ${server.file}` : ''}.`
}

function changeOf({ change }: Plan): string[] {
	if (!change)
		return ['No statement was found that keeps a server in a variable: leave the code as it is.', '']
	const lines = change.insert.map(({ after_line, text }) =>
		after_line === 0 ? `  first line:     ${text}` : `  after line ${`${after_line}:`.padEnd(4)} ${text}`,
	)
	return [`Put into ${change.file}:`, ...lines, '']
}
