import { importsOf, readSource, repositoryFiles } from './source-files.ts'

/** Counts of the code in `server/src` without tests; for every number, smaller is better. */
export interface HouseCounts {
	/** Source files of the server. */
	files: number
	/** Source files under 25 lines. */
	filesUnder25Lines: number
	/** Percentage of the files that are imported by exactly one other file. */
	importedByOnePercent: number
	/** Folders of `server/src`, and files next to them. */
	rooms: number
	looseFiles: number
	/** Pairs of rooms where one imports the other. */
	arrows: number
	/** Groups of files with circular imports, including types, and the number of files in them. */
	cycles: number
	filesInCycles: number
}

const serverSource = 'server/src/'

/** Tests and their helpers: `testing.ts`, `testing-*.ts`, `*-testing.ts`, `*.testing.ts` and folders named `testing`. */
export function isTestFile(path: string): boolean {
	return /\.test\.tsx?$|\/testing\/|\/testing(-[\w-]+)?\.ts$|[.-]testing\.ts$/.test(path)
}

/** The folder of `server/src` that contains a file; null for a file next to the folders and for files of other workspaces. */
export function roomOf(path: string): string | null {
	return path.match(/^server\/src\/([^/]+)\//)?.[1] ?? null
}

/** Counts files, single-use files, room imports and cycles of the server from its imports. */
export function countHouse(): HouseCounts {
	const files = repositoryFiles('.ts').filter(
		(path) => path.startsWith(serverSource) && !isTestFile(path) && !path.endsWith('.gen.ts'),
	)
	const graph = new Map(files.map((path) => [path, importsWithin(path, new Set(files))]))
	const importers = new Map<string, number>()
	for (const targets of graph.values())
		for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1)
	const circles = findCycles(graph)
	const single = files.filter((path) => importers.get(path) === 1).length
	return {
		files: files.length,
		filesUnder25Lines: files.filter((path) => readSource(path).split('\n').length <= 25).length,
		importedByOnePercent: Math.round((1000 * single) / files.length) / 10,
		rooms: new Set(files.map(roomOf).filter((room) => room !== null)).size,
		looseFiles: files.filter((path) => roomOf(path) === null).length,
		arrows: countArrows(graph),
		cycles: circles.length,
		filesInCycles: circles.flat().length,
	}
}

function importsWithin(path: string, files: ReadonlySet<string>): Set<string> {
	return new Set(importsOf(path).filter((target) => files.has(target) && target !== path))
}

function countArrows(graph: ReadonlyMap<string, ReadonlySet<string>>): number {
	const arrows = new Set<string>()
	for (const [path, targets] of graph)
		for (const target of targets) {
			const [from, to] = [roomOf(path), roomOf(target)]
			if (from && to && from !== to) arrows.add(`${from} → ${to}`)
		}
	return arrows.size
}

/** Strongly connected components of two or more files (Tarjan), without recursion. */
export function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
	const index = new Map<string, number>()
	const low = new Map<string, number>()
	const stack: string[] = []
	const onStack = new Set<string>()
	const groups: string[][] = []
	for (const root of graph.keys()) {
		if (index.has(root)) continue
		const work: { node: string; targets: string[]; next: number }[] = []
		const enter = (node: string) => {
			index.set(node, index.size)
			low.set(node, index.size - 1)
			stack.push(node)
			onStack.add(node)
			work.push({ node, targets: [...(graph.get(node) ?? [])], next: 0 })
		}
		enter(root)
		while (work.length > 0) {
			const frame = work.at(-1) as (typeof work)[number]
			const target = frame.targets[frame.next++]
			if (target === undefined) {
				work.pop()
				const own = low.get(frame.node) as number
				const above = work.at(-1)
				if (above) low.set(above.node, Math.min(low.get(above.node) as number, own))
				if (own !== index.get(frame.node)) continue
				const group: string[] = []
				for (let node = ''; node !== frame.node; ) {
					node = stack.pop() as string
					onStack.delete(node)
					group.push(node)
				}
				if (group.length > 1) groups.push(group.sort())
			} else if (!index.has(target)) enter(target)
			else if (onStack.has(target))
				low.set(frame.node, Math.min(low.get(frame.node) as number, index.get(target) as number))
		}
	}
	return groups
}
