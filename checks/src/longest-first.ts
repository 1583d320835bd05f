import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longFiles } from './long-files.ts'

/** The order of the projects: those that start whole programs come before those that do not, and the shortest files are last. */
const order = ['everything', 'system', 'slow', 'security', 'dashboard', 'unit']

/**
 * Runs one project after the other, and the longest files of each first, because a long file that starts last keeps one core waiting
 * for its whole duration. Vitest knows the durations of the last run, but not in a fresh clone. It also ends a test process when the
 * next file is of another project; with mixed projects, some eighty processes would each load the modules and start an engine or a
 * browser.
 */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rest = await super.sort(files)
		return rest.toSorted((a, b) => placeOf(a) - placeOf(b) || secondsOf(b) - secondsOf(a))
	}
}

function placeOf({ project }: TestSpecification): number {
	return order.indexOf(project.name)
}

function secondsOf({ moduleId }: TestSpecification): number {
	return Object.entries(longFiles).find(([file]) => moduleId.endsWith(`/${file}`))?.[1] ?? 0
}
