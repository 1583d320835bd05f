import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Existing files of the repository that git tracks or would add, by extension. */
export function repositoryFiles(...extensions: string[]): string[] {
	const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
		cwd: root,
		encoding: 'utf8',
	})
	return listed
		.split('\n')
		.filter(
			(path) => extensions.some((extension) => path.endsWith(extension)) && existsSync(join(root, path)),
		)
}

export function readSource(path: string): string {
	return readFileSync(join(root, path), 'utf8')
}

const importPattern =
	/(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

/** The imports of a file: repository paths for our own files, package names otherwise. */
export function importsOf(path: string): string[] {
	return importsIn(path, readSource(path))
}

/** Everything that is loaded with a file, including itself: repository paths, and specifiers of packages. Type imports load nothing. */
export function loadedWith(path: string): Set<string> {
	const found = new Set([path])
	for (const file of found) {
		if (!existsSync(join(root, file))) continue
		const values = readSource(file).replaceAll(/^(?:import|export) type\s[^'"]*?from\s*'[^']+'/gm, '')
		for (const target of importsIn(file, values)) found.add(target)
	}
	return found
}

function importsIn(path: string, source: string): string[] {
	const specifiers = [...source.matchAll(importPattern)].map(
		(match) => (match[1] ?? match[2] ?? match[3]) as string,
	)
	return specifiers.map((specifier) =>
		specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
	)
}
