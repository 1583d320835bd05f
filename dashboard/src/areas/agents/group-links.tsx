import { Link } from '@tanstack/react-router'

/** Groups as links to lists of their agents. */
export function GroupLinks({ groups }: { groups: readonly string[] }) {
	if (groups.length === 0) return <span className="text-ink-3">–</span>
	return (
		<span className="flex flex-wrap gap-1">
			{groups.map((group) => (
				<Link
					key={group}
					to="/agents"
					search={{ group }}
					className="inline-flex min-h-6 items-center rounded bg-idle-soft px-1.5 font-mono text-xs text-ink-2 hover:text-ink"
				>
					{group}
				</Link>
			))}
		</span>
	)
}
