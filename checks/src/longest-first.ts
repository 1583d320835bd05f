import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longFiles } from './long-files.ts'

/** What starts whole programs comes before what does not; `unit` is last, as its files share workers and are the shortest. */
const order = ['system', 'security', 'slow', 'dashboard', 'unit']

/**
 * Begins with the files that take longest; the others follow by project, in Vitest's order. Vitest itself knows how long files took last time,
 * but not in a fresh clone; a long file that begins last keeps one core waiting for the whole of it.
 */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rest = await super.sort(files)
		return rest.toSorted(
			(a, b) => secondsOf(b) - secondsOf(a) || order.indexOf(a.project.name) - order.indexOf(b.project.name),
		)
	}
}

function secondsOf({ moduleId }: TestSpecification): number {
	return Object.entries(longFiles).find(([file]) => moduleId.endsWith(`/${file}`))?.[1] ?? 0
}
