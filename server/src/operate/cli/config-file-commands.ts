import { writeFileSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { answer, confirmDone, printNote } from './answer.ts'
import type { Context } from './config-as-code/kinds/kind.ts'
import type { PlanOptions, Step, Warning } from './config-as-code/plan.ts'
import { requireYes } from './confirm.ts'
import { connect } from './connection.ts'
import { exitCodes } from './outcome.ts'
import { counted, readGivenFile } from './terminal.ts'

type Options = { prune?: true; secrets?: true; exitCode?: true }

const fileArgument = 'configuration file (YAML), or - for standard input'

export function addExportCommand(program: Command): void {
	program
		.command('export')
		.description('Write the configuration of the workspace as YAML; secrets as references')
		.option('--output <file>', 'write to this file instead of standard output')
		.action(exportFile)
}

export function addDiffCommand(program: Command): void {
	withPlanOptions(program.command('diff').argument('<file>', fileArgument))
		.description('Show what apply would change')
		.option('--exit-code', 'exit with 1 when there are differences')
		.action(diff)
}

export function addApplyCommand(program: Command): void {
	withPlanOptions(program.command('apply').argument('<file>', fileArgument))
		.description('Change the workspace to match the file; if interrupted, run it again')
		.action(apply)
}

export function addConfigFileCommands(program: Command): void {
	const file = program.command('config-file').description('The file of export, diff and apply')
	file
		.command('schema')
		.description('Print its JSON Schema, for editors')
		.action(async () => {
			const { fileSchema } = await import('./config-as-code/file-schema.ts')
			process.stdout.write(`${JSON.stringify(fileSchema(), null, 2)}\n`)
		})
}

function withPlanOptions(command: Command): Command {
	return command
		.option('--prune', 'delete what is not in the file, in the sections that it has')
		.option('--secrets', 'send all secrets again, since changes of them cannot be detected')
}

async function exportFile(options: { output?: string }, command: Command): Promise<void> {
	const { exportConfiguration, toYaml } = await import('./config-as-code/plan.ts')
	const { content, leftOut } = await exportConfiguration(connect(command))
	for (const { section, reason } of leftOut) printNote(command, `${section} are left out: ${reason}`)
	if (options.output === undefined) return answer(command, content, [toYaml(content).trimEnd()])
	writeFileSync(options.output, toYaml(content))
	confirmDone(command, { path: options.output, left_out: leftOut }, `${options.output} is written.`)
}

async function diff(path: string, options: Options, command: Command): Promise<void> {
	const { plan, context } = await preparePlan(path, options, command, false)
	const { predictWarnings } = await import('./config-as-code/plan.ts')
	const changed = plan.filter(({ action }) => action !== 'unchanged')
	const warnings = await predictWarnings(context, plan)
	const lines = changed.length === 0 ? ['There is no difference.'] : changed.flatMap(describe)
	answer(command, { ...toDocument(plan), warnings }, [...lines, ...warnings.map(warningText)])
	if (options.exitCode && changed.length > 0) process.exitCode = exitCodes.failed
}

async function apply(path: string, options: Options, command: Command): Promise<void> {
	const { plan, context } = await preparePlan(path, options, command, true)
	const changed = plan.filter(({ action }) => action !== 'unchanged')
	if (changed.length === 0) return confirmDone(command, toDocument(plan), 'There is no difference.')
	for (const line of changed.flatMap(describe)) printNote(command, line)
	await requireYes(command, `Make ${counted(changed.length, 'change')}?`)
	const { runPlan } = await import('./config-as-code/plan.ts')
	let done = 0
	const warnings: Warning[] = []
	try {
		await runPlan(context, plan, (step, texts) => {
			done += 1
			warnings.push(...texts.map((text) => ({ ...objectOf(step), text })))
			printNote(command, `${done}/${changed.length} ${past[step.action]} ${nameOf(step)}`)
		})
	} catch (error) {
		printNote(
			command,
			`Done: ${done} of ${counted(changed.length, 'change')}. Run apply again for the others.`,
		)
		answer(command, { done, secrets: context.shownOnce }, context.shownOnce.map(secretText))
		throw error
	}
	const lines = [
		`Done: ${counted(done, 'change')}.`,
		...warnings.map(warningText),
		...context.shownOnce.map(secretText),
	]
	answer(command, { ...toDocument(plan), warnings, secrets: context.shownOnce }, lines)
}

const warningText = ({ section, name, text }: Warning) =>
	`Warning: the ${section.slice(0, -1)} ${name}: ${text}`
const objectOf = ({ section, name }: Step) => ({ section, name })

/** The instance will not show it again. */
function secretText({ name, secret }: Context['shownOnce'][number]): string {
	return `The signing secret of ${name}, shown only now: ${secret}`
}

/** Validates the whole file before anything is changed. */
async function preparePlan(path: string, options: Options, command: Command, doable: boolean) {
	const { parseFile } = await import('./config-as-code/parse-file.ts')
	const { makePlan, newContext, readState, refuseImpossible, sectionsOf } = await import(
		'./config-as-code/plan.ts'
	)
	const { Secrets } = await import('./config-as-code/secrets.ts')
	const shown = path === '-' ? 'standard input' : path
	const file = parseFile(await readGivenFile(path), shown)
	const secrets = new Secrets(path === '-' ? '.' : path)
	const context = newContext(connect(command), secrets)
	const state = await readState(context, sectionsOf(file.content))
	const planOptions: PlanOptions = { prune: options.prune === true, secrets: options.secrets === true }
	const plan = makePlan(file.content, state, secrets, planOptions)
	if (doable) refuseImpossible(plan, file, shown, state, secrets)
	return { plan, context }
}

const marks = { create: '+', update: '~', delete: '-', unchanged: ' ' } as const
const colours = { create: 'green', update: 'yellow', delete: 'red', unchanged: 'reset' } as const
const past = { create: 'created', update: 'updated', delete: 'deleted', unchanged: 'kept' } as const

function describe(step: Step): string[] {
	const line = styleText(colours[step.action], `${marks[step.action]} ${nameOf(step)}`)
	const fields = step.changes.map(
		({ field, before, after }) => `    ${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
	)
	return [line, ...fields]
}

function nameOf({ section, name }: Step): string {
	return `${section.slice(0, -1)} ${name}`
}

function toDocument(plan: readonly Step[]) {
	const changes = plan.map(({ section, name, action, changes }) => ({ section, name, action, changes }))
	return { different: changes.some(({ action }) => action !== 'unchanged'), objects: changes }
}
