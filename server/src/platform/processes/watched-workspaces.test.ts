import { expect, it } from 'vitest'
import { WatchedWorkspaces } from './watched-workspaces.ts'

it('a workspace watched in this process counts as watched until its last watcher leaves', () => {
	const watched = new WatchedWorkspaces()
	expect(watched.has('w')).toBe(false)
	const ends = [watched.add('w'), watched.add('w')]
	expect(watched.has('w')).toBe(true)
	expect(watched.has('other')).toBe(false)
	for (const end of ends) end()
	expect(watched.has('w')).toBe(false)
})
