import type { Handlers } from '#core/command.ts';
import { listGiven, paging } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { skillsOf } from './skills.ts';

const listSkills: Query<'listSkills'> = ({ query }, tools) =>
  listGiven(tools, skillsOf(tools.self), paging(query));

const getSkill: Query<'getSkill'> = ({ path }, { self, caller }) => {
  const found = skillsOf(self).find(({ id }) => id === path.skill_id);
  if (!found) throw notFound('skill');
  return ok(found, caller);
};

export const handlers = {
  getSkill,
  listSkills,
} satisfies Partial<Handlers>;
