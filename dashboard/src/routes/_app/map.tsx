import { createFileRoute } from '@tanstack/react-router'
import { MapScreen } from '../../areas/traffic-map/map-screen.tsx'
import { type MapSearch, parseMapSearch } from '../../areas/traffic-map/map-search.ts'

export const Route = createFileRoute('/_app/map')({
	validateSearch: (search: Record<string, unknown>): MapSearch => parseMapSearch(search),
	component: MapScreen,
})
