import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { actionLinkClass } from '../../ui/link.ts'

/** The source of a grant; a toolset is linked, because the grant is changed there. */
export function GrantSource({ source }: { source: Schemas['GrantSource'] }) {
	if (source.kind === 'manual' || !source.id) return <span className="text-ink-2">direct grant</span>
	return (
		<Link to="/toolsets/$toolsetId" params={{ toolsetId: source.id }} className={actionLinkClass}>
			toolset {source.name}
		</Link>
	)
}
