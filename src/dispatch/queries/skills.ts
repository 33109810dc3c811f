import { ok } from '../answer.ts';
import { listGiven } from '../list-page.ts';
import { notFound } from '../load.ts';
import type { Query } from '../query.ts';
import { skillsOf } from '../skills.ts';
import { paging } from './workspaces.ts';

export const listSkills: Query<'listSkills'> = ({ query }, tools) =>
  listGiven(tools, skillsOf(tools.self), paging(query));

export const getSkill: Query<'getSkill'> = ({ path }, { self, caller }) => {
  const found = skillsOf(self).find(({ id }) => id === path.skill_id);
  if (!found) throw notFound('skill');
  return ok(found, caller);
};
