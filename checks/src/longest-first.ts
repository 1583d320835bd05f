import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longFiles } from './long-files.ts'

/** Projects in the order in which they run: what starts whole programs comes before what does not, and the shortest files are last. */
const order = ['everything', 'system', 'slow', 'security', 'dashboard', 'unit']

/**
 * One project after the other, each with the files first that take longest: a long file that begins last keeps one core waiting for the whole
 * of it. Vitest itself knows how long files took last time, but not in a fresh clone. And it ends a test process when the next file is of another
 * project; with the projects mixed, some eighty processes would each load the modules and start an engine or a browser.
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
