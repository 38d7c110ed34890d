#include "app/stages/problem.h"

#include "app/cli/progress.h"
#include "app/stages/operator.h"
#include "app/stages/warnings.h"
#include "data/file.h"
#include "mesh/files/formats.h"
#include "mesh/make/slab.h"

static mt_status get_mesh(mt_arena *arena, mt_case *input, mt_mesh *mesh)
{
    mt_progress_stage("getting the mesh");
    if (!input->mesh.file[0])
        return mt_slab_make_cut(arena, input->mesh.slab.size_mm, input->mesh.slab.edge_mm,
            (mt_slab_cut)input->mesh.slab.cut, mesh);
    MT_TRY(mt_file_absolute(arena, &input->mesh.file));
    return mt_mesh_read(arena, input->mesh.file, mesh);
}

static mt_status make_operator(mt_arena *arena, const mt_case *input, bool cached, mt_problem *p)
{
    const mt_tissue tissue = mt_case_tissue(input);
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    const char *name = mt_case_mesh_name(input);
    mt_progress_stage("building the diffusion operator and measuring its limits");
    MT_TRY(mt_fail_in(
        name, mt_operator_make(arena, &p->mesh, &p->adjacency, &tissue, &scheme, cached, &p->diffusion)));
    mt_findings_of_operator(mt_warnings, name, &p->adjacency, &p->diffusion);
    return MT_OK;
}

mt_status mt_problem_aim(mt_arena *arena, const mt_case *input, mt_problem *p)
{
    mt_stimulus *stimuli;
    MT_TRY(mt_probes_make(arena, input, &p->mesh, &p->probes));
    MT_TRY(mt_case_stimuli(arena, input, &p->mesh, &stimuli));
    p->monodomain.n_stimuli = input->n_stimuli;
    p->monodomain.stimulus = stimuli;
    MT_ALLOC(arena, p->monodomain.peak_mV, input->n_stimuli);
    return MT_OK;
}

mt_status mt_problem_make_on(mt_arena *arena, const mt_mesh *mesh, mt_case *input, bool cached, mt_problem *p)
{
    *p = (mt_problem){.mesh = *mesh};
    for (size_t s = 0; s < input->n_stimuli; s++)
        if (input->stimuli[s].region.vtx[0]) MT_TRY(mt_file_absolute(arena, &input->stimuli[s].region.vtx));
    MT_TRY(mt_case_check_scale(input, &p->mesh));
    mt_findings_of_mesh(mt_warnings, input, &p->mesh);
    MT_TRY(mt_problem_aim(arena, input, p));
    MT_TRY(mt_adjacency_make(arena, &p->mesh, &p->adjacency));
    MT_TRY(mt_case_cells(arena, input, &p->mesh, &p->monodomain));
    MT_TRY(make_operator(arena, input, cached, p));
    MT_TRY(mt_case_choose_steps(input, &p->diffusion));
    p->monodomain.diffusion = &p->diffusion;
    p->monodomain.dt_ms = input->time.dt_ms;
    p->monodomain.pde_steps = input->time.pde_steps;
    p->monodomain.mesh = &p->mesh;
    return mt_monodomain_check(&p->monodomain);
}

mt_status mt_problem_make(mt_arena *arena, mt_case *input, bool cached, mt_problem *problem)
{
    mt_mesh mesh;
    MT_TRY(get_mesh(arena, input, &mesh));
    return mt_problem_make_on(arena, &mesh, input, cached, problem);
}
