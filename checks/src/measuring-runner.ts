import { appendFileSync } from 'node:fs'
import { TestRunner } from 'vitest'
import { secondsOfFamily } from './processor-time.ts'

type Files = Parameters<TestRunner['onAfterRunFiles']>[0]

/** Processor time of this test process and of the programs that it started, up to the end of the previous file. */
let before = 0

/**
 * Appends a line for each test file to the file `TEST_TIMES`: its processor time in seconds, with that of the programs, engines and
 * browsers that worked for it, a tab, and its path. Loading the modules counts for the first file of each test process.
 */
export default class MeasuringRunner extends TestRunner {
	override onAfterRunFiles(files: Files): void {
		super.onAfterRunFiles(files)
		const now = secondsOfFamily()
		const [file] = files
		if (file && process.env.TEST_TIMES)
			appendFileSync(process.env.TEST_TIMES, `${(now - before).toFixed(2)}\t${file.filepath}\n`)
		before = now
	}
}
