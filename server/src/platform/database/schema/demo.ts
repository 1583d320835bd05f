/** Demo workspaces. */
export interface DemoTables {
	demos: {
		/** That of the workspace. A row without a workspace waits until its telemetry is erased. */
		id: string
		/** `making`, `ready` or `failed`. */
		state: string
		/** JSON: what the dashboard links to. */
		highlights: string
		created_at: number
	}
}
