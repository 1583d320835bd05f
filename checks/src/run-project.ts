import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from './source-files.ts'
import { runStep, tool } from './steps.ts'

interface Report {
	numPassedTests: number
	numFailedTests: number
	testResults: {
		name: string
		status: string
		message: string
		startTime: number
		endTime: number
		assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
	}[]
}

interface Failure {
	file: string
	/** The test's full name; empty for a file that did not load. */
	name: string
	message: string
}

export interface TestResult {
	passed: number
	failed: number
	/** Tests that failed in the parallel run and passed when their file ran alone. */
	onlyAlone: string[]
}

/** Maximum number of failed files that are rerun alone. More failures cannot be explained by a busy machine. */
const filesToRepeat = 8
const linesOfFailure = 25

/** Runs all tests in one pool of workers, then reruns the failed files. `reports`: a directory. */
export async function runTestProjects(
	reports: string,
	environment: Record<string, string>,
): Promise<TestResult> {
	const isLong = environment.LONG_TESTS !== undefined
	const timesFile = join(reports, 'times.tsv')
	// Long forms measure, and load both cores by themselves.
	const measured = { ...environment, TEST_TIMES: timesFile }
	const { passed, report } = await start(reports, 'tests', measured, isLong ? ['--maxWorkers', '2'] : [])
	const result = { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 }
	const shown = isLong ? Number.POSITIVE_INFINITY : 20
	if (report) showFiles(report, shown)
	showProcessorTimes(timesFile, shown)
	if (passed) return { ...result, onlyAlone: [] }
	const failures = report ? failuresOf(report) : []
	const isAccident = await passAlone(filesOf(failures), (label, files) =>
		start(reports, label, environment, ['--maxWorkers', '1', ...files]),
	)
	if (!isAccident) return { ...result, failed: result.failed || 1, onlyAlone: [] }
	return {
		passed: result.passed + result.failed,
		failed: 0,
		onlyAlone: failures.map(({ file, name }) => `${file} ${name}`.trim()),
	}
}

/** Whether all files pass alone. Other programs can load a shared machine for minutes, so files that fail again are run a last time. */
async function passAlone(
	files: readonly string[],
	run: (label: string, files: readonly string[]) => Promise<{ passed: boolean; report: Report | null }>,
): Promise<boolean> {
	let left = files
	for (const label of ['tests, alone', 'tests, alone again']) {
		// A failure outside any test cannot be fixed by another run.
		if (left.length === 0 || left.length > filesToRepeat) return false
		const { passed, report } = await run(label, left)
		if (passed) return true
		left = report ? filesOf(failuresOf(report)) : []
	}
	return false
}

function filesOf(failures: readonly Failure[]): string[] {
	return [...new Set(failures.map(({ file }) => file))]
}

async function start(
	reports: string,
	label: string,
	environment: Record<string, string>,
	more: string[] = [],
): Promise<{ passed: boolean; report: Report | null }> {
	const file = join(reports, `${label}.json`)
	const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', file]
	const step = tool(label, 'vitest', 'run', ...reporters, ...more)
	const log = join(tmpdir(), `signalbox-${label.replaceAll(/\W+/g, '-')}.log`)
	console.log(`${label}: as they go in ${log}`)
	const { passed, output } = await runStep({ ...step, quiet: true, log }, { ...environment, ALL_TESTS: '1' })
	const report = readReport(file)
	if (!passed) show(report, output)
	return { passed, report }
}

/** The files that determine the duration of a run, with their results, so that `long-files.ts` can be kept up to date. */
function showFiles({ testResults }: Report, max: number): void {
	const timed = testResults.map(({ name, startTime, endTime, assertionResults }) => {
		const count = (status: string) => assertionResults.filter((result) => result.status === status).length
		return {
			file: relative(root, name),
			seconds: (endTime - startTime) / 1000,
			outcome: `${count('passed')} passed, ${count('failed')} failed`,
		}
	})
	const slowest = timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, max)
	console.log('longest files:')
	for (const { file, seconds, outcome } of slowest)
		console.log(`  ${seconds.toFixed(1).padStart(6)} s ${file}: ${outcome}`)
}

/** The files that cost most: the processor time of all files limits how short a run can be. */
function showProcessorTimes(timesFile: string, max: number): void {
	const measured = readOr(timesFile, '')
		.split('\n')
		.flatMap((line) => {
			const [seconds, path] = line.split('\t')
			return path ? [{ seconds: Number(seconds), file: relative(root, path) }] : []
		})
	const total = measured.reduce((sum, { seconds }) => sum + seconds, 0)
	console.log(`most processor time, of ${total.toFixed(0)} s in ${measured.length} files:`)
	for (const { seconds, file } of measured.toSorted((a, b) => b.seconds - a.seconds).slice(0, max))
		console.log(`  ${seconds.toFixed(1).padStart(6)} s ${file}`)
}

function readOr(file: string, missing: string): string {
	try {
		return readFileSync(file, 'utf8')
	} catch {
		return missing
	}
}

function readReport(file: string): Report | null {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Report
	} catch {
		return null
	}
}

function failuresOf(report: Report): Failure[] {
	return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
		const file = relative(root, name)
		const failed = assertionResults.filter((result) => result.status === 'failed')
		if (status === 'failed' && failed.length === 0) return [{ file, name: '', message }]
		return failed.map(({ fullName, failureMessages }) => ({
			file,
			name: fullName,
			message: failureMessages.join('\n'),
		}))
	})
}

/** Prints only the failures; the whole output if there is no report of them. */
function show(report: Report | null, output: string): void {
	const failures = report ? failuresOf(report) : []
	for (const { file, name, message } of failures) {
		console.log(`  ${file} ${name}`)
		const lines = message.split('\n').filter((line) => !line.includes('node_modules/vitest'))
		for (const line of lines.slice(0, linesOfFailure)) console.log(`    ${line}`)
	}
	const rest = /Unhandled (?:Errors?|Rejection)[\s\S]*/.exec(output)?.[0]
	if (rest) console.log(rest)
	if (failures.length === 0 && !rest) console.log(output)
}
