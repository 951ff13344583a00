import { writeFileSync } from 'node:fs'
import { problemTable } from '../http/problems.ts'
import { mountRoutes } from '../plugins/mount.ts'
import { coreRoutes } from '../http/core-routes.ts'
import { buildOpenApi } from './index.ts'
import { exampleOf } from './example.ts'
import { shapeSchema, type Plugin, isShape } from '@storeloom/plugin-sdk'
const routes = [...coreRoutes()] as any[]
const errors: [string, never][] = []
for (const name of process.argv.slice(2)) {
  try {
    const { default: plugin } = (await import(`/work/main/plugins/${name}/src/index.ts`)) as { default: Plugin }
    routes.push(...(mountRoutes(plugin.name, plugin, (p) => console.log(name, p)).routes as never[]))
    errors.push(...(Object.entries(plugin.errors ?? {}) as never[]))
  } catch (e) { console.log(name, String((e as Error).message).slice(0, 200)) }
}
const s = performance.now()
const d = buildOpenApi({ version: '1', routes, errors: problemTable(errors) })
console.log(routes.length, 'routes', Math.round(performance.now() - s), 'ms', JSON.stringify(d).length)
writeFileSync('/tmp/openapi.json', JSON.stringify(d, null, 1))
const no = Object.entries(d.components.schemas as Record<string, { examples?: unknown }>).filter(([, v]) => !v.examples)
for (const [n, sch] of no) {
  const ex = exampleOf(sch, (r) => (d.components.schemas as any)[r.split('/').pop()!])
  const r = routes.find((r) => (n.startsWith('AdminGetProductsRow') && r.path === '/api/admin/products' && r.route.method === 'GET') || (n === 'AdminPostProductsInput' && r.path === '/api/admin/products' && r.route.method === 'POST') || (n.includes('BySlug') && r.path === '/api/storefront/products/{slug}'))
  const src = n.endsWith('Input') ? r?.route.options.body : r?.route.options.response
  console.log(n, ex === undefined, src && isShape(src) ? JSON.stringify(shapeSchema(src, n.endsWith('Input') ? 'create' : 'answer').safeParse(ex).error?.issues).slice(0, 600) : JSON.stringify((src as any)?.safeParse(ex).error?.issues)?.slice(0, 900), JSON.stringify(ex)?.slice(0,300))
}
